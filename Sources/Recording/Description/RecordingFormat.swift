// SPDX-License-Identifier: Apache-2.0

/// The name of a form in which measures are kept, as descriptions have it: it never changes. What the form is says its `FormatKind`.
public struct RecordingFormat: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// `cwa`.
    public let rawValue: String

    /// The form of that name, whether it is known or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The name.
    public var description: String { rawValue }
}
