// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// Whether `Demo` can put the clock forward to shortly before the next prompt.
enum DemoJump: Sendable, Hashable {
    case to(Instant)
    case refused(Phrase)

    /// How long before the prompt the clock arrives, so that the prompt is seen to come.
    private static let lead: Duration = .seconds(3)
    /// A prompt that is due within this time is waited for.
    private static let soon: Duration = .seconds(6)

    /// Refused while something is open or a prompt waits, where the next prompt comes soon, and where none comes.
    init(from conductor: StudyConductor, at now: Instant) {
        let next = conductor.scheduler.upcoming(1).first
        if !conductor.session.isIdle {
            self = .refused(DemoPhrases.jumpBusy)
        } else if conductor.session.hasPrompt {
            self = .refused(DemoPhrases.jumpWaits)
        } else if let next {
            self = next.due - now > Self.soon ? .to(next.due - Self.lead) : .refused(DemoPhrases.jumpSoon)
        } else {
            self = .refused(DemoPhrases.noPrompt(conductor.scheduler))
        }
    }
}
