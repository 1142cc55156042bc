// SPDX-License-Identifier: Apache-2.0
import Base

/// Looks at the clock regularly, and wakes the loop (`.alarm`) when a source began or ceased to be trusted.
///
/// The kernel announces a step (`KernelWatch`), but not that its clock is synchronised: where NTP
/// found it right, nothing is stepped. While prompts wait for the clock it is looked at every five
/// seconds, else once a minute.
struct ClockService: Service {
    let clock: any StudyClock
    let trust: ClockTrust
    /// Prompts need an expected error within this.
    let bound: Duration
    let mailbox: Mailbox

    func run() async throws {
        await cancelWhenStopped {
            var last: (source: ClockAnchor.Source, isGood: Bool, note: String?)?
            while !Task.isCancelled {
                let opinion = trust.opinion
                let isGood = opinion.isGood(within: bound)
                let now = (source: opinion.source, isGood: isGood, note: opinion.note)
                if let last, last != now { mailbox.post(.alarm) }
                last = now
                let pause: Duration = isGood ? .seconds(60) : .seconds(5)
                do { try await clock.sleep(until: clock.monotonic + pause) } catch { return }
            }
        }
    }
}
