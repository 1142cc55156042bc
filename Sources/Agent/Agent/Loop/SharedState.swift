// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import Study
import Synchronization

/// The agent's present state for `status`, reports and the panel's fault: the loop, the uploader and other services
/// change it, any thread reads it.
package final class SharedState: Sendable {
    package struct State: Sendable {
        /// nil while no study is enrolled.
        package var conductor: StudyConductor?
        /// One for each source that is recorded; empty before measuring begins.
        package var measures: [MeasureState] = []
        /// Samples of earlier starts and earlier enrolments.
        package var past = Ledger.SampleCounts()
        /// The latest reading of both clocks, trusted or not; nil before the first.
        package var anchor: ClockAnchor?
        /// What is odd about the clock, in words; nil while nothing is.
        package var clockNote: String?
        /// What is wrong with the agent itself, in words; nil while nothing is.
        package var fault: String?
        /// What of the store was damaged since this start, and what is lost; nil = nothing.
        package var storeDamage: String?
        /// `storeDamage` is of a store that another version wrote: nothing was damaged.
        package var isStoreOfOtherVersion = false
        /// Why the enrolment in force has no study; nil = it has one, or there is none.
        var studyLoss: Explanation?
        /// Why nothing reaches the disk; nil = it does.
        package var storeVolatile: String?
        /// Why the log's head cannot be kept beside it; nil = it is.
        package var headFault: String?
        /// Why no recording can be kept below the cap, in words; nil = they can.
        package var capFault: String?
        /// Answers of the log that cannot be read here; nil = all can.
        package var unreadableAnswers: Explanation?
        /// What was found in the wrong place of the state folder at this start.
        package var moved: [Explanation] = []
        /// Events that found the loop's mailbox full: presses, or notices of commits. More than 0
        /// is a fault.
        package var eventsLost = 0
        /// Why button devices went away, in words; they are given up until measuring starts again.
        package var buttonsLost: [Explanation] = []
        /// Parts of the board that are missing and looked for: which, where, and what to do.
        package var partFaults: [Explanation] = []
        /// How often parts were missing so far, by their places in the board file.
        package var absences: [String: Int] = [:]
        /// Threads that a driver does not let go, in words.
        package var stuck: [Explanation] = []
        /// Chips that give no samples: which, where, and what to do.
        package var sensorFaults: [Explanation] = []
        /// What went wrong with sound within the last minute and is over, and what the loudspeaker does not play:
        /// listed by `status`, not signalled on the panel.
        package var soundFaults: [String] = []
        package var health = DeviceHealth()
        /// How the position receiver is doing, in words; nil without one.
        package var position: String?
        /// Log-in pages of the network that answer for a server, in words, by the destination's
        /// name: as good as no network.
        package var portals: [String: String] = [:]
        /// What somebody has to do for a destination, by its name.
        package var destinationNeeds: [String: Explanation] = [:]
        /// What somebody has to do before a study's server takes the progress; nil = nothing.
        package var progressNeed: Explanation?
        /// The study's version on its server that this board cannot run; nil = none.
        package var updateRefusal: String?
        var reports = ReportStatus()
        /// How a broker takes what is shown live; nil where there is none.
        package var live: LiveStatus?
        package var cost = MeasuringCost()

        package var isOffline = false
        /// What the panel signals: the agent's own fault, else the store's, else a part that is
        /// missing, else a sensor that gives nothing, and so on; nil while none is.
        var panelFault: String? {
            fault ?? storeFault ?? missingParts.first?.description ?? condition?.phrase.text(in: .english)
                ?? portalFaults.first
        }

        private var missingParts: [Explanation] { stuck + partFaults + buttonsLost.map { $0.within("buttons") } }

        private var condition: DeviceCondition? {
            if !sensorFaults.isEmpty { return .sensorFault }
            if health.present[.underVoltage] != nil { return .underVoltage }
            if capFault != nil { return .lowDisk }
            return isOffline ? .offline : nil
        }

        private var storeFault: String? {
            if storeVolatile != nil { return FaultPhrases.cannotStore.text(in: .english) }
            guard storeDamage != nil || studyLoss != nil else { return nil }
            let phrase = isStoreOfOtherVersion ? FaultPhrases.general : FaultPhrases.memoryDamaged
            return phrase.text(in: .english)
        }

        /// The log-in pages in words, in the order of the destinations' names.
        var portalFaults: [String] { portals.sorted { $0.key < $1.key }.map(\.value) }

        /// What is wrong with the hardware, the worst first.
        var hardwareFaults: [Explanation] { missingParts + sensorFaults }

        package var faults: [Explanation] {
            let words = [fault, storeVolatile, storeDamage, headFault, capFault]
            var all = words.compactMap(\.self).map { Explanation(cause: $0) }
            all += [studyLoss].compactMap(\.self) + moved + [unreadableAnswers].compactMap(\.self)
            if let refusal = conductor?.refusal { all.append(Explanation(participantRefused: refusal)) }
            if eventsLost > 0 {
                all.append(
                    Explanation(
                        cause:
                            "events lost because too much happened at once: \(eventsLost) (presses may be missing)"))
            }
            if let fault = reports.fault { all.append(fault) }
            all += destinationNeeds.sorted { $0.key < $1.key }.map(\.value)
            if let progressNeed { all.append(progressNeed) }
            if let fault = live?.fault { all.append(fault) }
            if let clockNote { all.append(Explanation(place: "clock", cause: clockNote)) }
            all += health.faults
            all += hardwareFaults
            all += soundFaults.map { Explanation(cause: $0) }
            for measure in measures {
                if let fault = measure.fault { all.append(fault.within(measure.kind.rawValue)) }
            }
            return all
        }
    }
    private let state = Mutex(State())

    package init() {}

    package var now: State { state.withLock { $0 } }

    func change(_ body: (inout State) -> Void) { state.withLock { body(&$0) } }
}

extension Explanation {
    /// A study's server takes nothing more of the participant, in these words.
    init(participantRefused words: String) {
        self.init(
            place: "study", cause: "the server takes no more answers (\"\(words)\"): prompts have stopped",
            remedy: "if that is right, run 'studyd withdraw'; else ask the study's office")
    }
}
