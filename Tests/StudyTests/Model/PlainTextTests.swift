// SPDX-License-Identifier: Apache-2.0
import Foundation
import Patience
import Study
import Testing

@Suite struct PlainTextTests {
    @Test(arguments: [
        ("plain", "plain"), ("<p>One</p><p>two<br/>three</p>", "One two three"), ("a <b>bold</b>word", "a boldword"),
        ("5 &lt; 6 &amp; 7 &#65;&#x42;&nbsp;c", "5 < 6 & 7 AB c"), ("if < 5 press", "if < 5 press"), ("a<", "a<"),
        ("1 < 2 and 3 > 2", "1 < 2 and 3 > 2"), ("x <1> y", "x <1> y"),
        ("  a \n\t b  ", "a b"), ("R&D &unknown; &", "R&D &unknown; &"), ("<a href=\"x>y\">z</a>", "z"), ("", ""),
        ("<!-- no -->x", "x"), ("<h1>Größe</h1>", "Größe"), ("<!-- a > b -->x<!-- y", "x<!-- y"),
        // What a picture shows is said; its address and tag are not.
        ("Look:<img src=\"a.png\" alt=\"a &quot;red&quot; tree\">now", "Look: a \"red\" tree now"),
        ("<img src=a.png>x", "x"), ("<IMG ALT='Tree'/>", "Tree"),
        // Of two attributes of one name the first counts (WHATWG HTML, 13.2.5.33).
        ("<img alt alt=a>x", "x"), ("<img alt=a alt>x", "a x"), ("<img alt=a alt=b>x", "a x"),
        // Where a link leads stands behind its words.
        (
            "See <a href=\"https://example.org/?a=1&amp;b=2\">our page</a>.",
            "See our page (https://example.org/?a=1&b=2)."
        ),
        ("<a href='mailto:help@example.org?subject=x'>Write</a> to us", "Write (help@example.org) to us"),
        ("<a href=\"https://example.org\">https://example.org</a>", "https://example.org"),
        ("<a href=\"#top\">up</a> <a name=x>here</a>", "up here"), ("<a href=tel:112>Call", "Call (112)"),
        ("<a href=https://example.org><img src=x></a>!", "https://example.org!"),
        // The numbers of a list.
        ("Do:<ol><li>one</li><li>two</li></ol>then", "Do: 1. one 2. two then"),
        ("<ol start=\"3\"><li>a<li value=7>b<li>c</ol><ul><li>d</ul>", "3. a 7. b 8. c d"),
        ("<ol><li>a<ul><li>x</ul><li>b</ol>", "1. a x 2. b"),
        // What is no text.
        ("<style>p { color: red }</style>a<script>if (1 < 2) { x() }</SCRIPT>b", "ab"), ("a<script>x", "a"),
        ("<!-- a > b", "b"), ("a<!-->b", "ab"), ("<!-- a --><!-- b <i>c</i>", "c"),
        // Old pages leave the semicolon away (WHATWG: named character references).
        ("&copy 2020 &notit; &notin; &AMPx", "© 2020 ¬it; ∉ &x"),
        ("&#128; &#0; &#xD800; &#55", "€ \u{FFFD} \u{FFFD} 7"),
        ("f&NotEqualTilde;g", "f\u{2242}\u{338}g"), ("&#; &#x; &;", "&#; &#x; &;"),
    ])
    func htmlBecomesWhatIsSpoken(_ html: String, _ text: String) {
        #expect(PlainText(html: html).text == text)
    }

    /// The WHATWG's HTML: what begins a tag (13.2.5.6 and 13.2.5.7), a reference in an attribute (13.2.5.73), and
    /// what is on a line of its own or not shown (15.3).
    @Test(arguments: [
        ("press <ä>, or <é", "press <ä>, or <é"), ("<а>x", "<а>x"), ("<Z>x", "x"), ("<z>x", "x"), ("<[>x", "<[>x"),
        ("<`>x", "<`>x"), ("<{>x", "<{>x"), ("<@>x", "<@>x"),
        // As Word leaves it.
        ("<?xml:namespace prefix = o ns = \"urn:schemas-microsoft-com:office:office\" />How are you?", "How are you?"),
        (
            "<a href=\"https://example.org/?id=7&region=eu&copy=1&amp;a&lt\">x</a>",
            "x (https://example.org/?id=7&region=eu&copy=1&a<)"
        ),
        ("<img alt='&copy; &copy &copyx &copy9 &notin; &notit; &#65x'>", "© © &copyx &copy9 ∉ &notit; Ax"),
        ("<blockquote>One</blockquote>two", "One two"), ("<dl><dt>One<dd>two</dl>three", "One two three"),
        (
            "<pre>One</pre><section>two</section><figure>three<figcaption>four</figcaption></figure>",
            "One two three four"
        ),
        ("<table><caption>One</caption><tr><td>two<td>three</table>four", "One two three four"),
        ("<span>One</span><em>two</em>", "Onetwo"),
        ("<html><head><title>A <b>page</title></head><body>Text", "Text"), ("<titles>x</titles>", "x"),
    ])
    func htmlIsReadAsBrowsersDo(_ html: String, _ text: String) {
        #expect(PlainText(html: html).text == text)
    }

    /// Python's `html.entities.html5` is the WHATWG's list, put down by somebody else.
    @Test(.enabled(if: PythonNames.isThere, "python3 is missing: install it to compare HTML's names"))
    func everyNameOfHTMLMeansWhatPythonTakesItFor() throws {
        let names = try PythonNames.read()
        #expect(names.count == 2_231)
        for (name, letters) in names {
            let isSpace = letters.unicodeScalars.allSatisfy(\.properties.isWhitespace)
            #expect(PlainText(html: "x&\(name)|").text == (isSpace ? "x |" : "x\(letters)|"), "\(name)")
        }
    }

    @Test func hostileTextsAreReadInTime() {
        for piece in [
            "<a \"", "<a '>", "<!--", "&", "&#", "<script>", "<a href=\"https://x\">", "<ol>", "<li>", "<a x=\"y>",
        ] {
            let html = String(repeating: piece, count: 200_000 / piece.count)
            #expect(PlainText(html: html).text.count <= 20 * html.count)
        }
    }
}

/// The names that Python knows.
private enum PythonNames {
    static let isThere = FileManager.default.isExecutableFile(atPath: "/usr/bin/python3")

    static func read() throws -> [String: String] {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
        process.arguments = ["-c", "import json,html.entities as e; print(json.dumps(e.html5))"]
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let bytes = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitAsleep()
        return try JSONDecoder().decode([String: String].self, from: bytes)
    }
}
