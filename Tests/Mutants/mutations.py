# SPDX-License-Identifier: Apache-2.0
"""What can be mutated in a file of Swift, found by its text: operators, limits, conditions, constants and statements that stand on one line.

A mutant is switched on by the environment, so that all are built in at once. An operator becomes one of its own with the same precedence, a
condition a choice between itself and `true`; no line is added or moved, so that the compiler's errors name the line of a mutant.
"""
import re

SWITCH = "theMutant"

# Operator → its precedence, and what it may become.
COMPARISONS = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="}
OPERATORS = {
    **{name: ("ComparisonPrecedence", [other]) for name, other in COMPARISONS.items()},
    "&&": ("LogicalConjunctionPrecedence", ["||", "the left side", "the right side"]),
    "||": ("LogicalDisjunctionPrecedence", ["&&", "the left side", "the right side"]),
    "+": ("AdditionPrecedence", ["-"]),
    "-": ("AdditionPrecedence", ["+"]),
    "..<": ("RangeFormationPrecedence", ["one more at the start", "one less at the end", "one more at the end"]),
    "...": ("RangeFormationPrecedence", ["one less at the start", "one less at the end"]),
}
OPERATOR = re.compile(r"(?<= )(<=|>=|==|!=|&&|\|\||<|>|\+|-)(?= )|(?<=[\w)\]])(\.\.<|\.\.\.)(?=[\w(\[])")
LITERAL = re.compile(r"(?<![\w.$#])(\d[\d_]*)(?![\w.])")
BOOLEAN = re.compile(r"(?<=[:?{] )(true|false)\b|(?<=return )(true|false)\b")
NOT = re.compile(r"(?<![\w)\]!])!(?=[\w(])")
CONDITION = re.compile(r"^\s*(?:\} else )?(if|guard|while|else if) ")
STATEMENT = re.compile(r"^\s*((?:try |await )*[A-Za-z_][\w.]*(?:\[[^\]]*\])?(?:\(.*\)|(?:\?\.|\.)\w+\(.*\)| [-+*/|&]?= \S.*))$")
# Neither texts for a log nor the room that an array is given beforehand decide anything; nor does, where no two are equal, which of them an order
# puts first.
SKIPPED = re.compile(r"^\s*(import|@|//|case \.?\w+$|print\(|log(ger)?\.|precondition|assert|fatalError)|\blog(ger)?\.|\breserveCapacity\(|^\s*(self\.)?report\(|\bfunc [^\w ]|\bwhere [A-Z]")


def masked(text):
    """The same text, of the same length, with blanks for literals (1) and comments (2)."""
    out, at, depth = [], 0, 0
    while at < len(text):
        if text.startswith("//", at):
            end = text.find("\n", at)
            end = len(text) if end < 0 else end
        elif text.startswith("/*", at):
            end, depth = at + 2, 1
            while end < len(text) and depth:
                step = {"/*": 1, "*/": -1}.get(text[end:end + 2], 0)
                depth += step
                end += 2 if step else 1
        elif text[at] == '"' or (text[at] == "#" and re.match(r'#+"', text[at:])):
            end = _end_of_string(text, at)
        else:
            out.append(text[at])
            at += 1
            continue
        blank = "\x02" if text[at] == "/" else "\x01"
        out.append("".join("\n" if character == "\n" else blank for character in text[at:end]))
        at = end
    return "".join(out)


def _end_of_string(text, at):
    hashes = len(text[at:]) - len(text[at:].lstrip("#")) if text[at] == "#" else 0
    at += hashes
    quotes = '"""' if text.startswith('"""', at) else '"'
    at += len(quotes)
    while at < len(text):
        if text.startswith("\\" + "#" * hashes + "(", at):
            at = _end_of_interpolation(text, at + 2 + hashes)
        elif not hashes and text[at] == "\\":
            at += 2
        elif text.startswith(quotes + "#" * hashes, at):
            return at + len(quotes) + hashes
        else:
            at += 1
    return at


def _end_of_interpolation(text, at):
    depth = 1
    while at < len(text) and depth:
        if text[at] == '"':
            at = _end_of_string(text, at)
            continue
        depth += {"(": 1, ")": -1}.get(text[at], 0)
        at += 1
    return at


class Mutation:
    """One change of one line: what stands there instead, for the number that it will have, and what that number's operator has to do."""

    def __init__(self, start, end, before, after, replacement, declaration=None):
        self.start, self.end, self.before, self.after = start, end, before, after
        self.replacement, self.declaration = replacement, declaration


def mutations(lines, code, number):
    """Every mutation of a line; `lines` is the file's text, `code` the masked one."""
    line, plain = lines[number], code[number].split("\x02")[0].rstrip()
    if not plain.strip() or SKIPPED.search(plain):
        return []
    found = _operators(plain) + _literals(plain) + _booleans(plain) + _negations(plain)
    found += _conditions(line, plain) + _statements(lines, code, number)
    return found


def _operators(plain):
    found = []
    for match in OPERATOR.finditer(plain):
        name = match.group()
        if name in "<>" and re.search(r"\b(sort|sorted|min|max)(\(by:)? ?\{[^{}]*$", plain[:match.start()]):
            continue
        if name in "<>" and re.search(r"\b(func|struct|class|extension|init|typealias)\b", plain):
            continue
        right = plain[match.end():].lstrip()
        # Texts and lists are not taken from each other.
        if name == "+" and (right[:1] in ("[", "\x01") or plain[:match.start()].rstrip()[-1:] == "\x01"):
            continue
        for after in OPERATORS[name][1]:
            kind = "nil" if right.startswith("nil") else "value"
            if kind == "nil" and name not in ("==", "!="):
                continue
            found.append(Mutation(match.start(), match.end(), name, after, lambda n, name=name: own(name, n),
                                  lambda n, name=name, after=after, kind=kind: declaration(name, after, kind, n)))
    return found


def _literals(plain):
    """Numbers beside a comparison or in a range, and those that are returned."""
    found = []
    if not re.search(r" (<|>|<=|>=|==|!=) |\.\.<|\.\.\.|\breturn \d|\bm(in|ax)\(", plain) or re.search(r"\bfunc\b", plain):
        return found
    for match in LITERAL.finditer(plain):
        value = int(match.group().replace("_", ""))
        for other in {value + 1, max(0, value - 1)} - {value}:
            found.append(Mutation(match.start(), match.end(), match.group(), str(other),
                                  lambda n, text=match.group(), other=other: f"({SWITCH}{n} ? {other} : {text})"))
    return sorted(found, key=lambda mutation: (mutation.start, mutation.after))


def _booleans(plain):
    return [Mutation(match.start(), match.end(), match.group(), "false" if match.group() == "true" else "true",
                     lambda n, text=match.group(): f"({'!' if text == 'true' else ''}{SWITCH}{n})")
            for match in BOOLEAN.finditer(plain) if not re.search(r"\b(func|init)\b", plain[:match.start()])]


def _negations(plain):
    return [Mutation(match.start(), match.end(), "!", "without !", lambda n: own("!", n),
                     lambda n: f"prefix operator {own('!', n)}\nprefix func {own('!', n)} (a: Bool) -> Bool {{ {SWITCH}{n} ? a : !a }}")
            for match in NOT.finditer(plain)]


def _conditions(line, plain):
    """Each part of a condition that is a value: always true, or the opposite."""
    match = CONDITION.match(plain)
    if not match:
        return []
    end = _end_of_condition(plain, match.end())
    found = []
    for start, stop in _parts(plain, match.end(), end):
        text = line[start:stop].strip()
        if not text or re.match(r"(let|var|case|true|false|#|\.)\b", text) or _depth(plain[start:stop]) != 0 or plain[start:stop].rstrip()[-1:] in "&|?:,({=":
            continue
        start = line.index(text, start)
        found.append(Mutation(start, start + len(text), text, "true", lambda n, text=text: f"({SWITCH}{n} ? true : ({text}))"))
        found.append(Mutation(start, start + len(text), text, f"!({text})", lambda n, text=text: f"(({text}) != {SWITCH}{n})"))
    return found


def _end_of_condition(plain, at):
    depth = 0
    for place in range(at, len(plain)):
        character = plain[place]
        depth += {"(": 1, "[": 1, ")": -1, "]": -1}.get(character, 0)
        if depth == 0 and (plain.startswith(" else", place) or (character == "{" and plain[place - 1] == " ")):
            return place
    return len(plain)


def _parts(plain, start, end):
    parts, depth, begin = [], 0, start
    for place in range(start, end):
        depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(plain[place], 0)
        if depth == 0 and plain[place] == ",":
            parts.append((begin, place))
            begin = place + 1
    return parts + [(begin, end)]


def _depth(text):
    return sum({"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(character, 0) for character in text)


def _statements(lines, code, number):
    """A call or an assignment that stands alone on its line."""
    plain = code[number].split("\x02")[0].rstrip()
    # An initialiser's own parameter can only be left out where the compiler forbids it; a value that is made and not kept is returned.
    if not STATEMENT.match(plain) or re.match(r"\s*[A-Z]\w*\(", plain) or _depth(plain) != 0 or "{" in plain or re.match(r"\s*self\.(\w+) = \1$", plain):
        return []
    around = [text.split("\x02")[0].rstrip() for text in code]
    before = next((around[n] for n in range(number - 1, -1, -1) if around[n].strip()), "")
    after = next((around[n].strip() for n in range(number + 1, len(code)) if around[n].strip()), "")
    if not re.search(r"(\{|\}|\)|\]|:|\w|\x01)$", before) or re.search(r"(\breturn|\bin|[-+*/=<>&|?(\[,])$", before) and not before.endswith("{"):
        if not before.endswith(" in"):
            return []
    if re.match(r"[.?:&|+*/<>=),\]]|- ", after) or re.match(r"\s*(let|var|return|throw)\b", plain):
        return []
    text = lines[number][:len(plain)].strip()
    start = lines[number].index(text)
    return [Mutation(start, start + len(text), text, "dropped", lambda n, text=text: f"if !{SWITCH}{n} {{ {text} }}")]


def own(name, number):
    """An operator of that number's own: Swift has no digits in operators, but arrows."""
    return f"{name}•" + "".join(chr(0x2190 + int(digit)) for digit in str(number)) if name[0] != "." else \
        "•" + "".join(chr(0x2190 + int(digit)) for digit in str(number))


def declaration(name, after, kind, number):
    precedence, mine = OPERATORS[name][0], own(name, number)
    on = f"{SWITCH}{number}"
    head = f"infix operator {mine}: {precedence}\n"
    if kind == "nil":
        return head + f"func {mine} <T>(a: T?, b: _OptionalNilComparisonType) -> Bool {{ {on} ? a {after} b : a {name} b }}"
    if name in ("&&", "||"):
        other = {"the left side": "a", "the right side": "try b()"}.get(after, f"try a {after} b()")
        return head + f"func {mine} (a: Bool, b: @autoclosure () throws -> Bool) rethrows -> Bool {{ {on} ? {other} : try a {name} b() }}"
    if name in ("==", "!="):
        return head + f"func {mine} <T: Equatable>(a: T, b: T) -> Bool {{ {on} ? a {after} b : a {name} b }}"
    if name in COMPARISONS:
        return head + f"func {mine} <T: Comparable>(a: T, b: T) -> Bool {{ {on} ? a {after} b : a {name} b }}"
    if name in "+-":
        return head + f"func {mine} <T: AdditiveArithmetic>(a: T, b: T) -> T {{ {on} ? a {after} b : a {name} b }}"
    # A range that would have no length or less stays as it is at the other end.
    start, end = {"one more at the start": ("a.advanced(by: 1)", "b"), "one less at the start": ("a.advanced(by: -1)", "b"),
                  "one less at the end": ("a", "b.advanced(by: -1)"), "one more at the end": ("a", "b.advanced(by: 1)")}[after]
    kind = "Range" if name == "..<" else "ClosedRange"
    return head + (f"func {mine} <T: Strideable>(a: T, b: T) -> {kind}<T> where T.Stride: SignedInteger {{ {on} ? min({start}, {end}) {name} "
                   f"max({start}, {end}) : a {name} b }}")
