// SPDX-License-Identifier: Apache-2.0
import Base

/// Reads what is sent here by the rules of the platforms' servers, which refuse half of a surrogate
/// pair.
package enum JSONReader {
    /// The value that `text` is. Texts are bounded before they come here.
    package static func value(_ text: String, depthLimit: Int = 32) throws(JSONError) -> JSONValue {
        var rules = JSONRules()
        rules.maximumSize = .max
        rules.maximumDepth = depthLimit
        rules.refusesLoneSurrogates = true
        return try JSONNode(Array(text.utf8), rules).value
    }
}
