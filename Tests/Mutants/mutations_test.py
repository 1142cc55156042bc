# SPDX-License-Identifier: Apache-2.0
"""What is found in a line, and what the switch makes of it."""
import unittest

from mutations import masked, mutations


def found(text, number=0):
    lines = text.split("\n")
    return {(m.before, m.after): lines[number][:m.start] + m.replacement(7) + lines[number][m.end:]
            for m in mutations(lines, masked(text).split("\n"), number)}


class MutationTests(unittest.TestCase):
    def test_an_operator_becomes_one_of_its_own(self):
        self.assertEqual(found("let a = b < c"), {("<", "<="): "let a = b <•\u2197 c"})
        self.assertEqual(set(found("x && y")), {("&&", "||"), ("&&", "the left side"), ("&&", "the right side")})
        self.assertEqual(found("let a: Set<Int> = f()"), {})

    def test_limits_are_one_more_and_one_less(self):
        self.assertEqual({after for before, after in found("let a = b < 200") if before == "200"}, {"199", "201"})
        self.assertEqual({after for before, after in found("let a = b < 0") if before == "0"}, {"1"})
        self.assertEqual(found("let a = 200"), {})

    def test_each_part_of_a_condition_is_true_or_the_opposite(self):
        parts = found("guard let a, a.isOpen, f(b, c) else { return }")
        self.assertEqual(set(parts), {("a.isOpen", "true"), ("a.isOpen", "!(a.isOpen)"), ("f(b, c)", "true"), ("f(b, c)", "!(f(b, c))")})
        self.assertEqual(parts["a.isOpen", "true"], "guard let a, (theMutant7 ? true : (a.isOpen)), f(b, c) else { return }")

    def test_a_statement_is_dropped_and_its_comment_stays(self):
        text = "{\n    count += 1  // and no more\n}"
        self.assertEqual(found(text, 1)["count += 1", "dropped"], "    if !theMutant7 { count += 1 }  // and no more")
        self.assertEqual(found("init(a: Int) {\n    self.a = a\n}", 1), {})
        self.assertEqual(found("f(\n    a,\n    b == c\n)", 1), {})

    def test_texts_comments_and_logs_are_left_alone(self):
        for line in ('let a = "b < c \\(d < e)"', "// a < b", "/* a && b */", 'log.info("x", a && b)', "import A", "a.reserveCapacity(8)",
                     'report("a < b")', "let a = b.sorted { $0 < $1 }", "Value(a)",
                     'let a = b + "c"', "let a = b + [c]"):
            self.assertEqual(found(line), {}, line)
        self.assertEqual(len(masked('a "b\\"c" #"d"e"# """\nf\n""" g')), len('a "b\\"c" #"d"e"# """\nf\n""" g'))


if __name__ == "__main__":
    unittest.main()
