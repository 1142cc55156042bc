// SPDX-License-Identifier: Apache-2.0
import StudyModel
import Testing

@Suite struct PlainTextTests {
    @Test(arguments: [
        ("plain", "plain"), ("<p>One</p><p>two<br/>three</p>", "One two three"), ("a <b>bold</b>word", "a boldword"),
        ("5 &lt; 6 &amp; 7 &#65;&#x42;&nbsp;c", "5 < 6 & 7 AB c"), ("if < 5 press", "if < 5 press"), ("a<", "a<"),
        ("  a \n\t b  ", "a b"), ("R&D &unknown; &", "R&D &unknown; &"), ("<a href=\"x>y\">z", "y\">z"), ("", ""),
        ("<!-- no -->x", "x"), ("<h1>Größe</h1>", "Größe"),
    ])
    func htmlBecomesWhatIsSpoken(_ html: String, _ text: String) {
        #expect(PlainText(html: html).text == text)
    }
}
