// SPDX-License-Identifier: Apache-2.0
import Glibc
import Synchronization
import SystemKit

/// Writes a line to standard error.
func errorLine(_ line: String) { _ = File.write(Array((line + "\n").utf8)[...], to: STDERR_FILENO) }

/// The share that is done of a long command such as `export`, on a terminal; silent elsewhere.
final class ProgressBar: Sendable {
    private let title: String
    private let isShown = isatty(STDERR_FILENO) == 1
    private let shown = Mutex(-1)
    private static let width = 30

    init(title: String) { self.title = title }

    /// A file that grows while it is read may give more than 1.
    func show(_ share: Double) {
        let share = min(1, share)
        let percent = Int(share * 100)
        let isNew = shown.withLock { shown in
            defer { shown = percent }
            return shown != percent
        }
        guard isShown, isNew else { return }
        let full = Int(share * Double(Self.width))
        let bar = String(repeating: "#", count: full) + String(repeating: " ", count: Self.width - full)
        write("\r\(title) [\(bar)] \(percent) %")
    }

    func end() { if isShown, shown.withLock({ $0 >= 0 }) { write("\r\u{1B}[K") } }

    private func write(_ text: String) { _ = File.write(Array(text.utf8)[...], to: STDERR_FILENO) }
}
