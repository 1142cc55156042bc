// SPDX-License-Identifier: Apache-2.0
import Base
import Study
import SystemKit

/// Whether a USB stick is plugged in and may be pulled out; `StickWatch` updates it every few seconds. Pure.
struct StickState: Sendable, Hashable {
    enum Change: Sendable, Hashable {
        /// It was plugged in: what waits for it is written at once.
        case pluggedIn
        /// Whether it may be pulled out: nothing waits for it (what was refused does not wait). `isNews` when
        /// that is true for the first time since it was plugged in.
        case removable(Bool, isNews: Bool)
    }

    private var isThere = false
    private var isRemovable = false
    /// It was removable once since it was plugged in: the panel does not say so again each time that
    /// something was written to it.
    private var wasAnnounced = false

    /// Returns what has changed. `waits`: the outbox has something for the stick.
    mutating func update(isThere: Bool, waits: Bool) -> [Change] {
        var changes: [Change] = []
        if isThere, !self.isThere {
            wasAnnounced = false
            changes.append(.pluggedIn)
        }
        self.isThere = isThere
        let isReady = isThere && !waits
        if isReady != isRemovable { changes.append(.removable(isReady, isNews: isReady && !wasAnnounced)) }
        wasAnnounced = wasAnnounced || isReady
        isRemovable = isReady
        return changes
    }
}

/// Looks every few seconds whether a stick is plugged in, and tells the loop when it may be pulled out. Runs where
/// the configuration has a destination on a stick (`DirectoryDestination`).
struct StickWatch: Service {
    let database: StudyDatabase
    /// Its name is the one under which the outbox has items for it.
    let stick: DirectoryDestination
    let clock: any StudyClock
    let pluggedIn: @Sendable () -> Void
    let mailbox: Mailbox

    static let pause = Duration.seconds(5)

    func run() async throws {
        await cancelWhenStopped {
            var state = StickState()
            while !Task.isCancelled {
                for change in await look(&state) { report(change) }
                do { try await clock.sleep(until: clock.monotonic + Self.pause) } catch { return }
            }
        }
    }

    private func report(_ change: StickState.Change) {
        switch change {
        case .pluggedIn: pluggedIn()
        case .removable(let isReady, let isNews): mailbox.post(.removable(isReady, isNews: isNews))
        }
    }

    private func look(_ state: inout StickState) async -> [StickState.Change] {
        let isThere = (try? await onThread("studyd-stick") { [stick] in stick.medium.isThere }) ?? false
        // If the store cannot be read, something may wait.
        let waits = isThere ? (try? await database.hasUnsent(for: stick.name)) ?? true : true
        return state.update(isThere: isThere, waits: waits)
    }
}
