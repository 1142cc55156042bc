// SPDX-License-Identifier: Apache-2.0
import Recording
import Store
import Times

/// The wall clock: how far it is believed, and when it is set.
extension StudyLoop {
    /// Notices a step of the wall clock, and that somebody vouches for it or does so no more: anchors anew and plans again.
    func checkClock() {
        guard let last = anchors.last else { return }
        let opinion = parts.trust.opinion
        tell(opinion.note)
        let now = parts.stamps.moment
        let step = now.instant - last.instant(at: now.monotonic)
        let isStep = abs(step.nanoseconds) > 500_000_000
        let isNews = opinion.source != last.source || isGood(opinion) != isTrusted
        guard isStep || isNews || now.monotonic - last.monotonic > .seconds(300) else { return }
        let wasTrusted = isTrusted
        if isStep {
            var row = StudyCommit()
            row.events.append(.clockStepped(nanoseconds: step.nanoseconds))
            commit(row)
        }
        anchor(opinion)
        if isStep, wasTrusted { conduct(.clockJumped(by: step)) }
        if isStep { conduct(.tick) }
    }

    func anchor() {
        let opinion = parts.trust.opinion
        tell(opinion.note)
        anchor(opinion)
    }

    private func anchor(_ opinion: ClockTrust.Opinion) {
        let anchor = parts.trust.anchor(parts.stamps.clock, opinion)
        anchors.append(anchor)
        if anchors.count > 256 { anchors.removeSubrange(1..<129) }
        var row = StudyCommit()
        let drift = opinion.drift == ClockCustody.anyDrift ? nil : opinion.drift
        row.events.append(
            .anchored(
                anchor: (parts.stamps.clock as? SteeredClock)?.record(anchor, drift: drift)
                    ?? AnchorRecord(anchor, drift: drift)))
        commit(row)
        parts.view.change { $0.anchor = anchor }
        measuring?.setAnchors(anchors)
        if anchor.isTrusted {
            sealWaiting()
            settlePastLife()
        }
        if isGood(opinion) != isTrusted {
            isTrusted = isGood(opinion)
            if study != nil { tellTrust() }
        }
    }

    /// Prompts may come: somebody vouches for the time, and its error is within the configured bound.
    private func isGood(_ opinion: ClockTrust.Opinion) -> Bool {
        opinion.isGood(within: parts.configuration.promptsWithin)
    }

    /// What is odd about the clock stands in the log once, when it begins.
    private func tell(_ note: String?) {
        let told = parts.view.now.clockNote
        guard note != told else { return }
        parts.view.change { $0.clockNote = note }
        if let note, told == nil { remark("clock", note) }
    }
}
