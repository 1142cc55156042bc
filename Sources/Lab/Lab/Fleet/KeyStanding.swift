// SPDX-License-Identifier: Apache-2.0
import Base

/// What the keys of a participant's name say of it.
struct KeyStanding: Sendable, Hashable {
    /// When it was revoked; nil = it was not.
    var revoked: Instant?
    /// When a key was last used that is not this name's.
    var foreignKey: Instant?
}
