// SPDX-License-Identifier: Apache-2.0

/// The keyboard protocol of kitty (https://sw.kovidgoyal.net/kitty/keyboard-protocol/), in which a terminal
/// tells when a key is let go. `DrawnBoard` turns it on, `KeyDecoder` reads it. Terminals without it ignore
/// these sequences.
package enum KeyboardProtocol {
    /// 1: keys come as sequences that differ from text; 2: with repetitions and releases; 8: keys that make
    /// text, too.
    private static let flags = 11
    /// Asks for it, and whether it was granted.
    package static let begin = "\u{1B}[>\(flags)u\u{1B}[?u"
    /// Back to what was before.
    package static let end = "\u{1B}[<u"

    static func grants(_ flags: Int) -> Bool { flags & 2 != 0 && flags & 8 != 0 }
}
