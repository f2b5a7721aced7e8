//! What stands between two tokens of one line.

use super::Piece;
use crate::lexer::Token;

/// Blanks between the last of `before` and `piece`, which is on the same line.
pub(super) fn between(before: &[Piece<'_>], piece: &Piece<'_>, after: &[Piece<'_>]) -> usize {
    let Some(last) = before.last() else {
        return 0;
    };
    let Some(token) = &piece.token else {
        // The author may set a comment off by one or two blanks.
        let next_on_line = after.first().is_some_and(|p| p.breaks == 0);
        return if next_on_line {
            usize::from(!after_opening(last))
        } else {
            piece.blanks.clamp(1, 2)
        };
    };
    let Some(previous) = &last.token else {
        return usize::from(!closes(token));
    };
    let mut behind: Vec<&Token> =
        before.iter().rev().filter_map(|p| p.token.as_ref()).take(4).collect();
    behind.reverse();
    let next = after.iter().find_map(|p| p.token.as_ref());
    // An operator is tight if both its sides are.
    let spaced = piece.blanks > 0
        || if is_arithmetic(token) {
            after.first().is_some_and(|p| p.blanks > 0)
        } else {
            last.blanks > 0
        };
    usize::from(wants_blank(&behind, previous, token, (spaced, piece.blanks > 0), next))
}

fn after_opening(last: &Piece<'_>) -> bool {
    matches!(last.token, Some(Token::LeftParen | Token::LeftBracket | Token::LeftBrace))
}

fn closes(token: &Token) -> bool {
    matches!(
        token,
        Token::Semicolon
            | Token::Comma
            | Token::RightParen
            | Token::RightBracket
            | Token::RightBrace
            | Token::Period
    )
}

/// The asterisk after a name that is declared, or after MODULE or PROCEDURE.
fn is_mark(before: &[&Token], next: Option<&Token>) -> bool {
    let named = |t: &Token| matches!(t, Token::Ident(_));
    match before {
        [.., Token::Module | Token::Procedure] => true,
        [.., Token::Procedure, name] if named(name) => true,
        [.., Token::Procedure, Token::Times, name] if named(name) => true,
        [.., name] if named(name) => {
            matches!(next, Some(Token::Comma | Token::Colon | Token::Equal | Token::Semicolon))
        }
        _ => false,
    }
}

/// A sign: nothing that could be its left operand stands before it.
fn is_sign(before: &[&Token]) -> bool {
    !matches!(
        before.last(),
        Some(
            Token::Ident(_)
                | Token::Int(_)
                | Token::Real(_)
                | Token::Char(_)
                | Token::String(_)
                | Token::HexString(_)
                | Token::RightParen
                | Token::RightBracket
                | Token::RightBrace
                | Token::Arrow
                | Token::True
                | Token::False
                | Token::Nil
        )
    )
}

fn is_arithmetic(token: &Token) -> bool {
    matches!(token, Token::Plus | Token::Minus | Token::Times | Token::Slash)
}

fn wants_blank(
    before: &[&Token],
    previous: &Token,
    token: &Token,
    (spaced, apart): (bool, bool),
    next: Option<&Token>,
) -> bool {
    let behind = &before[..before.len() - 1];
    // What the token before allows.
    match previous {
        Token::LeftParen
        | Token::LeftBracket
        | Token::LeftBrace
        | Token::Period
        | Token::DotDot
        | Token::Not => return false,
        Token::Arrow => {
            return !matches!(
                token,
                Token::Period | Token::LeftBracket | Token::LeftParen | Token::Arrow
            ) && !closes(token);
        }
        Token::Times if is_mark(behind, Some(token)) => {
            return !(closes(token) || matches!(token, Token::Colon | Token::LeftParen));
        }
        Token::Plus | Token::Minus if is_sign(behind) => return false,
        _ => {}
    }
    match token {
        Token::Colon | Token::DotDot | Token::Arrow => false,
        // END stands off from its semicolon only where the author wants it so.
        _ if closes(token) => *previous == Token::End && *token == Token::Semicolon && apart,
        Token::LeftBracket => !matches!(
            previous,
            Token::Ident(_) | Token::RightBracket | Token::RightParen | Token::Arrow
        ),
        Token::LeftParen => {
            !matches!(previous, Token::Ident(_) | Token::RightBracket | Token::RightParen)
        }
        Token::Times if is_mark(before, next) => false,
        _ if is_arithmetic(token) && !is_sign(before) => spaced,
        // The other side of an arithmetic operator follows the first one.
        _ if is_arithmetic(previous) => spaced,
        _ => true,
    }
}
