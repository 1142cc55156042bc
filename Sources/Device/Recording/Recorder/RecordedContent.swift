// SPDX-License-Identifier: Apache-2.0

/// The content of a recording file, ours or another program's. Each kind of format names one;
/// several may share it.
package struct RecordedContent: Sendable, Hashable {
    /// `CWA motion`: for messages.
    package let title: String

    package init(_ title: String) { self.title = title }
}
