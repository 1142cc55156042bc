// SPDX-License-Identifier: Apache-2.0

/// A part of the self-test. It blocks, so it runs on a thread.
protocol CheckProbe: Sendable {
    /// What it reports on, each once, in the order in which people read it.
    var subjects: [CheckSubject] { get }
    /// Tests, and reports each finding as soon as it is known; from this thread only.
    func run(_ report: (CheckFinding) -> Void)
}
