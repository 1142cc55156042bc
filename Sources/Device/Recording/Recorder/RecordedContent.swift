// SPDX-License-Identifier: Apache-2.0

/// The content of a recording file, whoever wrote it. Each kind of format names its own; several
/// may share one.
package struct RecordedContent: Sendable, Hashable {
    /// `CWA motion`: for messages.
    package let title: String

    package init(_ title: String) { self.title = title }
}
