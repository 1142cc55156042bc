// SPDX-License-Identifier: Apache-2.0

/// Text in HTML.
enum HTML {
    /// Safe in text and in quoted attributes; characters that no document may hold are left out.
    static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            case "\n", "\t": result.unicodeScalars.append(scalar)
            case _ where scalar.value < 32 || scalar.value == 127: break
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
