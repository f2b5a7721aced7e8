use super::*;

fn formatted(text: &str) -> String {
    format(&Source::new("T.Mod", text)).unwrap()
}

#[test]
fn the_layout_is_ours() {
    let text = "MODULE  T ; (*head*)\nIMPORT A,B ;\n\n\n\nCONST a=1;b = - 2;\n\
                TYPE R*=RECORD(A.B)\nx *,y:INTEGER END;\n\
                VAR v:ARRAY 3 OF SET ;\n\
                PROCEDURE P * (VAR x:INTEGER;p:PROCEDURE(y:CHAR)):INTEGER;  (* what *)\n\
                VAR i :INTEGER;\n\
                BEGIN i:=x*2+ 1;\nIF i<3 THEN v [i] := {0 .. 3 , i}; f( ~ b , -i)\n\
                ELSE WHILE i>0 DO\nDEC (i); A.Q\nEND\nEND ;\n\
                REPEAT i := i\n+ 1 UNTIL p ^ . x = NIL\nRETURN i\nEND P;\n\
                BEGIN v:=5\nEND T .";
    let expected = "MODULE T;  (*head*)
  IMPORT A, B;

  CONST a = 1; b = -2;
  TYPE R* = RECORD (A.B)
    x*, y: INTEGER END;
  VAR v: ARRAY 3 OF SET;
  PROCEDURE P*(VAR x: INTEGER; p: PROCEDURE (y: CHAR)): INTEGER;  (* what *)
    VAR i: INTEGER;
  BEGIN i := x*2 + 1;
    IF i < 3 THEN v[i] := {0..3, i}; f(~b, -i)
    ELSE WHILE i > 0 DO
        DEC(i); A.Q
      END
    END ;
    REPEAT i := i
          + 1 UNTIL p^.x = NIL
    RETURN i
  END P;
BEGIN v := 5
END T.
";
    let once = formatted(&text.replace("(*head*)", " (*head*)"));
    assert_eq!(once, expected);
    assert_eq!(formatted(&once), once);
}

#[test]
fn comments_and_the_text_behind_the_module_stay() {
    let text = "MODULE T;\n(* at (*nested*) the\n   margin *)\n  (*inside*)\n(**)BEGIN (*x*)(*y*) END T.  rest\n of it";
    let once = formatted(text);
    assert!(once.contains("\n(* at (*nested*) the\n   margin *)\n  (*inside*)\n"), "{once}");
    assert!(once.ends_with("END T.  rest\n of it"), "{once}");
    assert_eq!(formatted(&once), once);
}

#[test]
fn line_ends_are_those_of_the_text() {
    assert_eq!(formatted("MODULE T;\r\rEND T."), "MODULE T;\r\rEND T.\r");
    assert_eq!(formatted("MODULE T;\r\nEND T.\r\n"), "MODULE T;\r\nEND T.\r\n");
}

#[test]
fn what_is_no_module_has_no_layout() {
    let errors = format(&Source::new("T.Mod", "MODULE T; BEGIN x = 1 END T.")).unwrap_err();
    assert_eq!(errors.len(), 1);
}
