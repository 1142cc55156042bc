// SPDX-License-Identifier: Apache-2.0
import Base

/// When prompts were switched off in earlier runs of the agent: what fell due then is not signalled after a
/// restart either. Read from the log for `Scheduler`. Pure.
package struct PromptSwitches: Sendable {
    /// `to` is nil while prompts are still off.
    private var spans: [(from: Instant, to: Instant?)] = []

    package init() {}

    /// What the log has, oldest first.
    package init(_ switches: some Sequence<(on: Bool, at: Instant)>) {
        var since: Instant?
        for (on, at) in switches {
            if !on {
                since = since ?? at
            } else if let from = since {
                spans.append((from, at))
                since = nil
            }
        }
        if let since { spans.append((since, nil)) }
    }

    /// Whether prompts were off at `due`. A span that ends later than `now` was ended by a clock that
    /// was wrong, and does not count.
    func wereOff(at due: Instant, by now: Instant) -> Bool {
        spans.contains { span in
            span.from <= due && (span.to.map { due < $0 && $0 <= now } ?? true)
        }
    }
}
