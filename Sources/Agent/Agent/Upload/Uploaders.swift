// SPDX-License-Identifier: Apache-2.0

/// Several uploaders, each with a thread and a connection of its own, so that answers do not wait
/// for recordings. No two may have a destination and an enrolment in common. Any thread.
package struct Uploaders: Sendable {
    private let all: [Uploader]

    package init(_ all: [Uploader]) { self.all = all }

    package func wake() { for uploader in all { uploader.wake() } }

    /// Says that a network came, so that nothing waits for its retry.
    package func networkChanged() { for uploader in all { uploader.networkChanged() } }

    /// Ends `run()`.
    package func stop() { for uploader in all { uploader.stop() } }

    /// Sends until stopped or cancelled. To be called once.
    package func run() async {
        await withDiscardingTaskGroup { group in
            for uploader in all { group.addTask { await uploader.run() } }
        }
    }
}
