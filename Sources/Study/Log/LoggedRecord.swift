// SPDX-License-Identifier: Apache-2.0

/// What rows of the event log hold. The names of its properties and cases are the stored format, as those of
/// `StudyEvent` are: rename none, change no raw value, give a new property an optional type.
package protocol LoggedRecord: Codable, Sendable, Hashable {}
