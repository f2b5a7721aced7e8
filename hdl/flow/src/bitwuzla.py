"""The program `bitwuzla` that yosys-smtbmc calls: SMT-LIB commands from standard input, answers on
standard output. The package `bitwuzla` brings the solver as a Python module only."""

import argparse
import sys

import bitwuzla


def commands(lines):
    """Whole commands, each as soon as its last parenthesis is there."""
    depth, quoted, text = 0, False, []
    for line in lines:
        kept = []
        for char in line:
            if char == ";" and not quoted:
                break
            if char == "|":
                quoted = not quoted
            elif not quoted:
                depth += (char == "(") - (char == ")")
            kept.append(char)
        text.append("".join(kept))
        if depth == 0 and not quoted:
            command = " ".join(text).strip()
            text = []
            if command:
                yield command


def main():
    arguments = argparse.ArgumentParser(prog="bitwuzla", description=__doc__)
    arguments.add_argument("--lang", choices=["smt2"], default="smt2")
    arguments.add_argument("--time-limit", type=int, default=0, help="milliseconds for each check")
    given = arguments.parse_args()
    options = bitwuzla.Options()
    options.set(bitwuzla.Option.PRODUCE_MODELS, True)
    options.set(bitwuzla.Option.TIME_LIMIT_PER, given.time_limit)
    parser = bitwuzla.Parser(bitwuzla.TermManager(), options, given.lang, 2)
    for command in commands(sys.stdin):
        if command.replace(" ", "") == "(exit)":
            break
        parser.parse(command, False, False)
        sys.stdout.flush()


main()
