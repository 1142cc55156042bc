// SPDX-License-Identifier: Apache-2.0
import Recording
import Store
import Times

/// The wall clock: how far it is believed, and when it is set.
extension StudyLoop {
    /// Notices a step of the wall clock: anchors anew and plans again.
    func checkClock() {
        guard let last = anchors.last else { return }
        let now = parts.stamps.moment
        let step = now.instant - last.instant(at: now.monotonic)
        let isStep = abs(step.nanoseconds) > 500_000_000
        guard isStep || now.monotonic - last.monotonic > .seconds(300) else { return }
        if isStep {
            var row = StudyCommit()
            row.events.append(.clockStepped(nanoseconds: step.nanoseconds))
            commit(row)
        }
        anchor()
        if isStep { conduct(.tick) }
    }

    func anchor() {
        let anchor = parts.trust.anchor(parts.stamps.clock)
        anchors.append(anchor)
        if anchors.count > 256 { anchors.removeSubrange(1..<129) }
        var row = StudyCommit()
        row.events.append(.anchored(anchor: AnchorRecord(anchor)))
        commit(row)
        parts.view.change { $0.anchor = anchor }
        measuring?.setAnchors(anchors)
        if anchor.isTrusted != isTrusted {
            isTrusted = anchor.isTrusted
            if study != nil { tellTrust() }
            if isTrusted { sealWaiting(anchor) }
        }
    }
}
