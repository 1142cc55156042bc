// SPDX-License-Identifier: Apache-2.0
import Base

/// What the light shows of a device without an enrolment, where no panel does: a fault, or at intervals that
/// there is no enrolment. `StudyCore` asks it. Pure.
struct FaultLight: Sendable {
    private var notEnrolledDue = MonotonicTime.zero
    private var shown: String?

    /// What is to be shown now, as `CoreEffect.showFault`; `isKnown` = it is known that there is no
    /// enrolment.
    mutating func show(_ fault: String?, isKnown: Bool, at now: MonotonicTime) -> CoreEffect? {
        if let fault { return effect(fault) }
        guard isKnown, notEnrolledDue <= now else { return nil }
        notEnrolledDue = now + SessionLimits().aliveInterval
        return effect(DeviceCondition.notEnrolled.phrase.text(in: .english))
    }

    private mutating func effect(_ fault: String) -> CoreEffect {
        defer { shown = fault }
        return .showFault(fault, isNew: shown != fault)
    }
}
