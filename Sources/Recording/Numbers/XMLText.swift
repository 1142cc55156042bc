// SPDX-License-Identifier: Apache-2.0

/// Text inside XML.
package enum XMLText {
    /// With everything escaped that would end the text; control characters, which XML 1.0 has no way to say, become `?`.
    package static func escaped(_ text: String) -> String {
        var out = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": out += "&amp;"
            case "<": out += "&lt;"
            case ">": out += "&gt;"
            case "\"": out += "&quot;"
            case let control where control.value < 32: out += "?"
            default: out.unicodeScalars.append(scalar)
            }
        }
        return out
    }
}
