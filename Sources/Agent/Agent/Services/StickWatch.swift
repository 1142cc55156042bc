// SPDX-License-Identifier: Apache-2.0
import Base
import Study
import SystemKit

/// What is known of a stick, updated at each look. Pure.
struct StickState: Sendable, Hashable {
    enum Change: Sendable, Hashable {
        /// It was plugged in: what waits for it goes at once.
        case pluggedIn
        /// Whether nothing more waits for it, as what was refused does not; `isNews` the first time since it
        /// was plugged in.
        case removable(Bool, isNews: Bool)
    }

    private var isThere = false
    private var isRemovable = false
    /// Nothing waited for it once since it was plugged in: that is not said aloud again each hour.
    private var wasTold = false

    /// `waits`: something for it is in the outbox.
    mutating func look(isThere: Bool, waits: Bool) -> [Change] {
        var changes: [Change] = []
        if isThere, !self.isThere {
            wasTold = false
            changes.append(.pluggedIn)
        }
        self.isThere = isThere
        let isReady = isThere && !waits
        if isReady != isRemovable { changes.append(.removable(isReady, isNews: isReady && !wasTold)) }
        wasTold = wasTold || isReady
        isRemovable = isReady
        return changes
    }
}

/// Looks every few seconds whether a stick is plugged in, and says when it may be pulled out.
struct StickWatch: Service {
    let database: StudyDatabase
    /// With the name under which the outbox has what is for it.
    let stick: DirectoryDestination
    let clock: any StudyClock
    let pluggedIn: @Sendable () -> Void
    let mailbox: Mailbox

    static let pause = Duration.seconds(5)

    func run() async throws {
        await cancelWhenStopped {
            var state = StickState()
            while !Task.isCancelled {
                for change in await look(&state) { tell(change) }
                do { try await clock.sleep(until: clock.monotonic + Self.pause) } catch { return }
            }
        }
    }

    private func tell(_ change: StickState.Change) {
        switch change {
        case .pluggedIn: pluggedIn()
        case .removable(let isReady, let isNews): mailbox.post(.removable(isReady, isNews: isNews))
        }
    }

    private func look(_ state: inout StickState) async -> [StickState.Change] {
        let isThere = (try? await onThread("studyd-stick") { [stick] in stick.medium.isThere }) ?? false
        // Where the store cannot say, something may wait.
        let waits = isThere ? (try? await database.hasUnsent(for: stick.name)) ?? true : true
        return state.look(isThere: isThere, waits: waits)
    }
}
