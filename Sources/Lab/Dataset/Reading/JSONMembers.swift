// SPDX-License-Identifier: Apache-2.0
import Base

/// Members of JSON that came from outside, for the readers of this folder; nil, or empty, for one of another
/// type. The lab has bounded its length.
extension JSONText {
    var members: [Member] { if case .object(let members) = self { members } else { [] } }
    var array: [JSONText] { if case .array(let values) = self { values } else { [] } }
    var string: String? { if case .string(let text) = self { text } else { nil } }
    var bool: Bool? { if case .boolean(let value) = self { value } else { nil } }
    /// A text without its quotation marks, a number as it is spelled; nothing for null.
    var plain: String {
        switch self {
        case .string(let text): text
        case .null: ""
        default: text
        }
    }
}
