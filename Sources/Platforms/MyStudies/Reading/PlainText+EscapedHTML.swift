// SPDX-License-Identifier: Apache-2.0
import Study

extension PlainText {
    /// The text of HTML whose own tags may be written as references, `&lt;p&gt;`: so Google's study-datastore
    /// sends instructions, the texts of active tasks and the consent, and both apps decode them before they
    /// show them. `MyStudiesActivityReader` and `MyStudiesExtrasReader` read texts so.
    init(escapedHTML text: String) {
        self.init(html: text.contains("<") ? text : PlainText(html: text).text)
    }
}
