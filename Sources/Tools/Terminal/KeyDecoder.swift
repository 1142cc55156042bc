// SPDX-License-Identifier: Apache-2.0

/// Bytes of a terminal as keys, for the demo's `RawTerminal`. Pure; a sequence may come in parts.
package struct KeyDecoder: Sendable {
    private var pending: [UInt8] = []
    /// `ESC [ [` and a letter: F1 to F5 of a Linux console.
    private static let consoleKey = Array("\u{1B}[[".utf8)
    /// `ESC O` and a letter: F1 to F4, and arrows in application mode.
    private static let singleShift = Array("\u{1B}O".utf8)

    package init() {}

    /// The keys in `bytes`, which follow what earlier calls left unfinished.
    package mutating func decode(_ bytes: [UInt8]) -> [TerminalInput] {
        pending += bytes
        var inputs: [TerminalInput] = []
        while let first = pending.first {
            guard first == 0x1B, pending.count > 1 else {
                // ESC alone: the rest of its sequence may come.
                if first == 0x1B { break }
                pending.removeFirst()
                if let input = Self.plain(first) { inputs.append(input) }
                continue
            }
            if pending.starts(with: Self.consoleKey) || pending.starts(with: Self.singleShift) {
                let length = pending[1] == UInt8(ascii: "[") ? 4 : 3
                guard pending.count >= length else { break }
                pending.removeFirst(length)
            } else if pending[1] == UInt8(ascii: "[") {
                guard let end = pending.dropFirst(2).firstIndex(where: { (0x40...0x7E).contains($0) }) else { break }
                if let input = Self.sequence(pending[2..<end], final: pending[end]) { inputs.append(input) }
                pending.removeFirst(end + 1)
            } else {
                // ESC and a character: Alt was held.
                if case .key(let stroke)? = Self.plain(pending[1]) {
                    inputs.append(.key(KeyStroke(stroke.key, isShifted: stroke.isShifted, hasAlt: true)))
                }
                pending.removeFirst(2)
            }
        }
        // No sequence of a keyboard is as long.
        if pending.count > 64 { pending = [] }
        return inputs
    }

    /// Drops an unfinished sequence: Escape was pressed, which means nothing here.
    package mutating func discardPending() { pending = [] }

    /// A printable character, or Ctrl and a letter.
    private static func plain(_ byte: UInt8) -> TerminalInput? {
        switch byte {
        case 0x01...0x1A: .key(KeyStroke(Character(UnicodeScalar(byte + 0x60)), hasControl: true))
        case 0x41...0x5A: .key(KeyStroke(Character(UnicodeScalar(byte + 0x20)), isShifted: true))
        case 0x20...0x7E: .key(KeyStroke(Character(UnicodeScalar(byte))))
        default: nil
        }
    }

    /// `CSI code:… ; modifiers:event ; … u`, and the answer `CSI ? flags u`. Modifiers are bits (Shift 1, Alt 2,
    /// Control 4) plus 1; the event is 1 press, 2 repetition, 3 release.
    private static func sequence(_ body: ArraySlice<UInt8>, final: UInt8) -> TerminalInput? {
        guard final == UInt8(ascii: "u") else { return nil }
        let text = String(decoding: body, as: UTF8.self)
        if text.hasPrefix("?") { return .tellsReleases(KeyboardProtocol.grants(Int(text.dropFirst()) ?? 0)) }
        let fields = text.split(separator: ";", omittingEmptySubsequences: false).map { field in
            field.split(separator: ":", omittingEmptySubsequences: false).map { Int($0) ?? 0 }
        }
        guard let code = fields.first?.first, let scalar = UnicodeScalar(code), (0x20...0x7E).contains(code) else {
            return nil
        }
        let second = fields.count > 1 ? fields[1] : []
        let modifiers = max(second.first ?? 1, 1) - 1
        let kinds: [Int: KeyStroke.Kind] = [2: .hold, 3: .release]
        return .key(
            KeyStroke(
                Character(scalar), isShifted: modifiers & 1 != 0, hasAlt: modifiers & 2 != 0,
                hasControl: modifiers & 4 != 0, kind: second.count > 1 ? kinds[second[1]] ?? .press : .press))
    }
}

package enum TerminalInput: Sendable, Hashable {
    case key(KeyStroke)
    /// The answer to `KeyboardProtocol.query`: the terminal tells how long keys are held.
    case tellsReleases(Bool)
}

package struct KeyStroke: Sendable, Hashable {
    /// Terminals without `KeyboardProtocol` know presses only.
    package enum Kind: Sendable, Hashable { case press, hold, release }
    /// The character that the key has without Shift.
    package let key: Character
    package let isShifted: Bool
    package let hasAlt: Bool
    package let hasControl: Bool
    package let kind: Kind

    package init(
        _ key: Character, isShifted: Bool = false, hasAlt: Bool = false, hasControl: Bool = false, kind: Kind = .press
    ) {
        self.key = key
        self.isShifted = isShifted
        self.hasAlt = hasAlt
        self.hasControl = hasControl
        self.kind = kind
    }
}
