// SPDX-License-Identifier: Apache-2.0

/// A key that was pressed, held or released.
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
