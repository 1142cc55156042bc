// SPDX-License-Identifier: Apache-2.0

/// A kind of content of recording files, ours or another program's: motion, sound, a table,
/// sentences. Each kind of format names one; several may share it.
///
/// Exporters and plots are chosen by it, and two with the same title are the same (`ExportCatalog`).
package struct RecordedContent: Sendable, Hashable {
    /// `CWA motion`, also for messages.
    package let title: String

    package init(_ title: String) { self.title = title }
}
