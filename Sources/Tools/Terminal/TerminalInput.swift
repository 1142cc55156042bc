// SPDX-License-Identifier: Apache-2.0

/// What comes from a terminal.
package enum TerminalInput: Sendable, Hashable {
    case key(KeyStroke)
    /// The answer to `KeyboardProtocol.query`: the terminal tells how long keys are held.
    case tellsReleases(Bool)
}
