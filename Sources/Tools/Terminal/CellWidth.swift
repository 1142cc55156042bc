// SPDX-License-Identifier: Apache-2.0

/// How many columns a terminal gives a character.
///
/// Two for most of what Unicode's East Asian Width calls wide or fullwidth and for most emoji, none
/// for marks that combine with the character before, one for everything else; in ranges, as
/// terminals have them (`wcwidth`). A study's text may be in any script.
package enum CellWidth {
    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97C, 0xAC00...0xD7A3, 0xF900...0xFAFF,
        0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F680...0x1F6FF, 0x1F900...0x1F9FF,
        0x1FA70...0x1FAFF, 0x20000...0x3FFFD,
    ]

    /// Columns of a character: 0 to 2.
    package static func of(_ character: Character) -> Int {
        guard let first = character.unicodeScalars.first else { return 0 }
        if first.value < 0x300 { return first.value < 0x20 || (0x7F..<0xA0).contains(first.value) ? 0 : 1 }
        switch first.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format, .control: return 0
        default: return wide.contains { $0.contains(first.value) } ? 2 : 1
        }
    }

    /// Columns of a text on one line.
    package static func of(_ text: String) -> Int { text.reduce(0) { $0 + of($1) } }
}
