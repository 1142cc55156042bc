// SPDX-License-Identifier: Apache-2.0
import Base
import Database
import PlatformKit
import Platforms
import Study

/// Takes a study onto the device, or off it, and tells its server that the participant looked at the
/// graphs: for `studyd enroll`, `withdraw` and `history`, through `ControlService` while the agent runs, else
/// through `StoreAccess`. The running study is untouched until everything about the new one is right.
package struct Enroller: Sendable {
    private let database: StudyDatabase
    private let panel: Panel
    private let zone: Zone
    private let stamps: EventClock
    private let sounds: StudySounds
    private let voice: SpeechVoice?
    private let results: ResultFolder?
    private let key: DeviceKeyFile?
    let joins: JoinNote?
    private let fit: MeasuringFit?
    private let sensors: RuleSensors
    /// Where answers and recordings go in addition to the study's server.
    private let destinations: [ConfiguredDestination]
    /// Tries whether an address answers, and says why not; blocks. nil = nothing is tried.
    private let tries: (@Sendable (_ address: String) -> String?)?
    /// The clock is trusted now.
    private let isDated: @Sendable () -> Bool
    /// The agent that runs has not got the study of the enrolment in force.
    private let isWithoutStudy: @Sendable () -> Bool

    /// An enroller for this device; without a `key` file no key is made, without `joins` no room is held while a
    /// server enrols, without a `voice` no speech is rendered, without `results` none are deleted, without `fit`
    /// nothing is measured.
    package init(
        database: StudyDatabase, panel: Panel, zone: Zone, stamps: EventClock, media: MediaCache,
        voice: SpeechVoice? = nil, results: ResultFolder? = nil, key: DeviceKeyFile? = nil,
        joins: JoinNote? = nil, fit: MeasuringFit? = nil,
        destinations: [ConfiguredDestination] = [], tries: (@Sendable (_ address: String) -> String?)? = nil,
        features: FeatureSettings? = nil, isDated: @escaping @Sendable () -> Bool = { true },
        isWithoutStudy: @escaping @Sendable () -> Bool = { false }
    ) {
        sensors = fit.map { RuleSensors(on: $0, features, panel) } ?? .catalog
        self.isDated = isDated
        self.isWithoutStudy = isWithoutStudy
        self.destinations = destinations
        self.tries = tries
        self.fit = fit
        self.database = database
        self.panel = panel
        self.zone = zone
        self.stamps = stamps
        sounds = StudySounds(panel: panel, media: media, voice: voice)
        self.voice = voice
        self.results = results
        self.key = key
        self.joins = joins
    }

    /// Shown while a person waits for the enrolment; called on another thread.
    package enum Progress: Sendable, Hashable {
        case speech(done: Int, of: Int)
        /// What does not work, though the enrolment does: a sound that cannot be fetched, speech
        /// that cannot be made.
        case remark(String)
    }

    /// Enrols; throws what is wrong, in words. Everything that can be refused is refused before `join`, which
    /// cannot be taken back, and all is stored before it that is known by then.
    package func enrol(
        _ asked: EnrolmentOptions, progress: @escaping @Sendable (Progress) -> Void = { _ in }
    ) async throws -> EnrolmentRecord {
        var options = try checked(asked)
        let study = options.loaded.study
        guard await !database.leavesFile else { throw EnrolmentError.storeNotUsable }
        if let lost = try await lostEnrolment() {
            try await putBack(options, for: lost)
            progress(.remark("the study's file was lost and is back: this enrolment continues as it was"))
            return lost
        }
        try await refuseSecond(options.loaded)
        // The arm is drawn; refused for what this board cannot ask or measure.
        let seed = try options.seed.map(EnrolmentSeed.numbered) ?? EnrolmentSeed.fresh()
        let draw = ChanceDraw.condition(of: study, chance: Chance(enrolmentSeed: seed))
        try refuse(study, arm: draw?.result)
        let addresses = EnrolmentAddresses(options, destinations)
        for text in addresses.unencrypted + remarks(options) { progress(.remark(text)) }
        try refuseUnmeasurable(progress)
        // Addresses are tried, and sounds and speech are fetched: only missing sounds refuse.
        if let tries {
            try await onThread("studyd-try") { for text in addresses.unreachable(tries) { progress(.remark(text)) } }
        }
        let problems = try await onThread("studyd-media") { sounds.prepare(study, progress) }
        let silent = problems.filter(\.isSound).map(\.message)
        guard silent.isEmpty || options.allowsSilence else { throw EnrolmentError.silent(silent) }
        let kept = try await keep(options)
        let leftOver = await leftOver()
        if let join = options.join {
            options.participant = try await onThread("studyd-join") { [joins] in
                try joins?.joined(by: join) ?? join()
            }
        }
        let record = try await store(options, kept, seed, draw, problems)
        if let leftOver { progress(.remark(EnrolmentError.leftOver(leftOver))) }
        joins?.clear()
        return record
    }

    /// Whom a server enrolled without that being stored here; nil = none.
    func leftOver() async -> String? {
        guard let joins else { return nil }
        let stored = (try? await database.enrolments()) ?? []
        return joins.leftOver(besides: stored.map(\.record.participant))
    }

    private func store(
        _ options: EnrolmentOptions, _ kept: Kept, _ seed: [UInt8], _ draw: ChanceDraw?,
        _ problems: [StudySounds.Problem]
    ) async throws -> EnrolmentRecord {
        do {
            try await keepGivenKey(options)
            let enrolment = try await enrolment(options, seed, draw)
            let record = record(of: enrolment, kept, options)
            try await commit(record, enrolment, draw, problems, options)
            return record
        } catch {
            guard options.join != nil, let joined = options.participant else { throw error }
            throw EnrolmentError.joinedNotStored(joined, Explanation(error))
        }
    }

    /// The options with the study as it will run: without the tasks that are left out, and with rules. Refuses
    /// what is wrong whatever the board and the log say.
    private func checked(_ asked: EnrolmentOptions) throws -> EnrolmentOptions {
        if let name = asked.participant, !Pseudonym.isSendable(name) { throw EnrolmentError.badPseudonym(name) }
        if let consent = asked.consent { try refuseLater(consent) }
        var options = try leavingOut(asked)
        if let rules = options.rules {
            options.loaded = options.loaded.with(try rules.read(for: options.loaded.study, sensors))
        }
        try refuseBadAddress(options)
        return options
    }

    /// What an enrolment refers to, on the disk.
    private struct Kept {
        let study: Digest
        let rules: Digest?
        let key: DeviceKey?
    }

    private func keep(_ options: EnrolmentOptions) async throws -> Kept {
        let (loaded, now) = (options.loaded, stamps.clock.now)
        let study = try await database.keepStudyFile(loaded.bytes, source: loaded.origin, at: now)
        var rules: Digest?
        if let file = options.rules {
            rules = try await database.keepStudyFile(file.bytes, source: file.path, at: now)
        }
        let ownKey = try await onThread("studyd-key") {
            try key.map { file in try options.deviceKey ?? file.prepare() }
        }
        return Kept(study: study, rules: rules, key: ownKey)
    }

    /// Until the server has enrolled, the key is the earlier participant's.
    private func keepGivenKey(_ options: EnrolmentOptions) async throws {
        guard let key, options.deviceKey != nil || options.code != nil else { return }
        _ = try await onThread("studyd-key") { try key.prepare(options.deviceKey, code: options.code) }
    }

    private func record(of enrolment: Enrolment, _ kept: Kept, _ options: EnrolmentOptions) -> EnrolmentRecord {
        let loaded = options.loaded
        var record = EnrolmentRecord(
            enrolment, platform: loaded.study.platform, source: loaded.origin, fileDigest: kept.study,
            postURL: options.postURL)
        if !options.without.isEmpty { record.without = options.without }
        record.rules = kept.rules?.description
        if options.holdTimes != .usual { record.holdTimes = options.holdTimes }
        record.deviceKey = kept.key?.publicText
        if !isDated() { record.undated = .init(bootID: stamps.bootID, monotonic: stamps.moment.monotonic) }
        return record
    }

    /// The enrolment in force whose study is lost, also where its file is back and the agent has not read it yet.
    func lostEnrolment() async throws -> EnrolmentRecord? {
        if let lost = try await database.enrolmentWithoutStudy() { return lost }
        guard isWithoutStudy(), let state = try await database.latestEnrolment(), state.withdrawn == nil else {
            return nil
        }
        return state.record
    }

    /// Puts the files back with which an enrolment was made; nothing is drawn again. Throws for any other file, and
    /// for another participant.
    private func putBack(_ options: EnrolmentOptions, for record: EnrolmentRecord) async throws {
        let digest = try Digest(of: options.loaded.bytes).description
        let rules = try options.rules.map { try Digest(of: $0.bytes).description }
        guard digest == record.fileDigest, rules == record.rules,
            options.participant == nil || options.participant == record.participant
        else {
            let isKept = try await database.enrolmentWithoutStudy() == nil
            throw EnrolmentError.notTheLostStudy(record.lostStudy, isKept: isKept)
        }
        let changes = try changes(in: options, to: record)
        guard changes.isEmpty else { throw EnrolmentError.continuesAsItWas(changes) }
        _ = try await database.keepStudyFile(options.loaded.bytes, source: options.loaded.origin, at: stamps.clock.now)
        if let rules = options.rules {
            _ = try await database.keepStudyFile(rules.bytes, source: rules.path, at: stamps.clock.now)
        }
    }

    private func changes(in options: EnrolmentOptions, to record: EnrolmentRecord) throws -> [String] {
        let seed = try options.seed.map { try EnrolmentSeed.numbered($0).hexadecimal }
        let named: [(name: String, isChange: Bool)] = [
            ("--consent", options.consent != nil), ("--code", options.code != nil),
            ("--device-key-file", options.deviceKey != nil && options.deviceKey?.publicText != record.deviceKey),
            ("--post-url", options.postURL != nil && options.postURL != record.postURL),
            ("--without", !options.without.isEmpty && options.without != record.without),
            ("--hold-times", options.holdTimes != .usual && options.holdTimes != record.holdTimes),
            ("--seed", seed != nil && seed != record.seed),
        ]
        return named.filter(\.isChange).map(\.name)
    }

    /// The study without the tasks that are left out, by key: a choice made at enrolment.
    private func leavingOut(_ options: EnrolmentOptions) throws -> EnrolmentOptions {
        let keys = options.loaded.study.tasks.map(\.key)
        if let unknown = options.without.first(where: { !keys.contains($0) }) {
            throw EnrolmentError.noSuchTask(unknown, keys)
        }
        guard Set(options.without) != Set(keys) || keys.isEmpty else { throw EnrolmentError.nothingLeft }
        var options = options
        options.loaded = options.loaded.without(options.without)
        return options
    }

    /// Throws where a consent was signed on a day that has not come, as far as that is known.
    func refuseLater(_ consent: ConsentRecord) throws {
        if isDated() { try consent.refuseLater(than: zone.local(stamps.clock.now).date) }
    }

    /// Fetches the sounds of a study and renders its speech, and keeps those of the one that still
    /// runs; blocks. What fails is not played.
    func prepare(_ study: StudyProtocol, beside present: StudyProtocol) {
        _ = sounds.prepare(study, beside: Vocabulary(present, on: panel).parts) { _ in }
    }

    private func commit(
        _ record: EnrolmentRecord, _ enrolment: Enrolment, _ draw: ChanceDraw?, _ problems: [StudySounds.Problem],
        _ options: EnrolmentOptions
    ) async throws {
        let context = WireContext(
            study: options.loaded.study, enrolment: enrolment, zone: zone, postURL: options.postURL)
        var encoder = EventEncoder(context: context)
        var events: [StudyEvent] = [.enrolled(enrolment: record)]
        if let draw {
            let weights = Dictionary(grouping: options.loaded.study.conditions) { $0 }.mapValues {
                Double($0.count) / Double(options.loaded.study.conditions.count)
            }
            events.append(.drawn(what: draw.what, value: draw.result, probabilities: weights))
        }
        if let consent = options.consent {
            events.append(
                .consented(name: "consent", version: consent.version, choice: consent.choice(otherwise: "NA")))
        }
        if let version = options.consentVersion {
            events.append(.serverFact(name: ServerFact.consent, text: version))
            if options.consent == nil, !version.isEmpty {
                events.append(
                    .fault(place: "consent", message: "no consent was recorded; the study's is version \(version)"))
            }
        }
        events += options.variables.sorted { $0.key < $1.key }.map { .variableSet(name: $0.key, value: $0.value) }
        events += problems.map { .fault(place: $0.place.rawValue, message: $0.message) }
        // The server would count from an unknown date too; it gets the enrolment once the date is
        // known.
        let drafts = record.undated == nil ? encoder.drafts(.enrolled, at: stamps.moment) : []
        let hellos = destinations.filter(\.destination.isLab).map { hello(record, to: $0.destination.name) }
        try await database.append(events, sending: drafts + hellos, at: stamps.stamp(record.id))
    }

    private func hello(_ record: EnrolmentRecord, to destination: String) -> OutboxDraft {
        var fields: [(name: String, value: String)] = [
            ("participant", value: record.participant), ("study", record.studyID), ("enrolment", record.id),
            ("software", AgentVersion.userAgent), ("measures", (fit?.channels ?? []).joined(separator: " ")),
        ]
        if let date = record.certainDate { fields.append(("enrolled", date)) }
        return Hello.draft(to: destination, fields.filter { !$0.value.isEmpty })
    }

    /// Refuses a study where the participant's own arm needs what this board cannot do, or is wrong in
    /// the study's file.
    private func refuse(_ study: StudyProtocol, arm: String?) throws {
        let verdict = StudyVerdict(study, on: panel)
        guard verdict.buttonRefusals.isEmpty else { throw EnrolmentError.boundButtons(verdict.buttonRefusals) }
        let refusals = verdict.refusals(for: arm)
        guard !refusals.isEmpty else { return }
        guard let arm, !verdict.isRefused else { throw EnrolmentError.refused(refusals) }
        throw EnrolmentError.armRefused(arm, refusals)
    }

    /// Refuses what this board cannot measure; remarks on what it measures otherwise.
    private func refuseUnmeasurable(_ progress: (Progress) -> Void) throws {
        guard let fit else { return }
        guard fit.problems.isEmpty else { throw EnrolmentError.cannotMeasure(fit.problems.map(\.description)) }
        for remark in fit.remarks { progress(.remark(remark)) }
    }

    /// Every request carries its address from the first day on: one that can never be reached is
    /// noticed now or too late.
    private func refuseBadAddress(_ options: EnrolmentOptions) throws {
        let url = options.postURL ?? options.loaded.study.postURL ?? ""
        guard let problem = PostAddress(url).problem else { return }
        throw EnrolmentError.badAddress(problem, remedy: options.loaded.platform.addressRemedy)
    }

    /// What the person who enrols must know of the study: what probably runs otherwise than it was
    /// meant, and what this board leaves out.
    private func remarks(_ options: EnrolmentOptions) -> [String] {
        StudyVerdict(options.loaded.study, on: panel).remarks.compactMap { remark in
            if options.postURL != nil, remark.path == "$.properties.post_url" { return nil }
            switch remark.kind {
            case .warning: return "WARNING \(remark.place): \(remark.message)"
            case .unsupported: return "not supported: \(remark.place): \(remark.message)"
            case .assumption, .refusal: return nil
            }
        }
    }

    private func enrolment(
        _ options: EnrolmentOptions, _ seed: [UInt8], _ draw: ChanceDraw?
    ) async throws -> Enrolment {
        let kept = try await database.latestEnrolment()?.record.participant
        var generator: any RandomNumberGenerator = SystemRandomNumberGenerator()
        let participant =
            options.participant.map(ParticipantID.init)
            ?? options.loaded.platform.pseudonym(before: kept, using: &generator)
        return try Enrolment(
            in: options.loaded.study, participant: participant, seed: seed, at: stamps.clock.now, zone: zone,
            condition: draw?.result)
    }

    /// One study at a time, none after a hand-over, and no return to a study that takes each participant once.
    private func refuseSecond(_ loaded: LoadedStudy) async throws {
        if let present = try await database.latestEnrolment(), present.withdrawn == nil {
            throw EnrolmentError.alreadyEnrolled(present.record.studyID)
        }
        guard try await !database.isClosed() else { throw EnrolmentError.handedOver }
        let study = loaded.study
        guard !loaded.platform.takesAgain(in: study), try await database.hasLeft(study: study.studyID) else { return }
        throw EnrolmentError.takesNobodyAgain(study.studyID)
    }

    /// Notes, and tells the study's server, that the participant looked at the graphs.
    package func logGraphsSeen() async throws {
        guard let present = try await database.latestEnrolment(), present.withdrawn == nil,
            let enrolment = present.record.enrolment
        else { throw EnrolmentError.notEnrolled }
        let loaded = try await database.requiredStudy(present.record)
        let context = WireContext(
            study: loaded.study, enrolment: enrolment, zone: zone, postURL: present.record.postURL)
        var encoder = EventEncoder(context: context)
        let now = stamps.moment
        // The server does not know of an enrolment without a date.
        let views: [Report] = present.record.undated == nil ? [.graphsOpened, .graphsLeft] : []
        let drafts = views.flatMap { encoder.drafts($0, at: now) }
        try await database.append([.graphsOpened, .graphsLeft], sending: drafts, at: stamps.stamp(present.record.id))
    }

    /// Leaves the study: tells the server after the unsent items, which are kept and still sent to
    /// the address of that study unless `deletesUnsent`. `deletesData` is the participant's
    /// decision about what the server has, where the study leaves it to them; what the server is to
    /// delete is erased from this device too. Without the study's file the server is not told, and
    /// the participant has to decide. `confirmed` is when the participant of that enrolment left; nil = now.
    package func withdraw(
        deletesUnsent: Bool?, deletesData: Bool? = nil, confirmed: EventStamp? = nil
    ) async throws -> EnrolmentRecord {
        guard let present = try await database.latestEnrolment(), present.withdrawn == nil,
            let enrolment = present.record.enrolment
        else { throw EnrolmentError.notEnrolled }
        let stamp = confirmed ?? stamps.stamp(present.record.id)
        guard stamp.enrolment == present.record.id else { throw EnrolmentError.notEnrolled }
        var record = present.record
        // Rules say nothing about leaving.
        record.rules = nil
        guard let loaded = try await readableStudy(record) else {
            let (deletes, rule) = try leavingLost(record, deletesData)
            try await leave(stamp, rule, deletesUnsent, deletesData: deletes, sending: [])
            return present.record
        }
        let deletes = try loaded.study.leaving.withdrawal.decision(deletesData)
        let context = WireContext(study: loaded.study, enrolment: enrolment, zone: zone, postURL: record.postURL)
        var encoder = EventEncoder(context: context)
        let moment = Moment(instant: stamp.wall, monotonic: stamp.monotonic)
        let enrolled = Moment(instant: record.instant, monotonic: stamps.moment.monotonic)
        // While its date was not certain, the server was not sent the enrolment.
        let unsentEnrolment = record.undated == nil ? [] : encoder.drafts(.enrolled, at: enrolled)
        // What was announced as planned is taken back first.
        let planned = PlanWatch.end(try await database.serverFact(ServerFact.planned, of: record.id))
        let drafts =
            unsentEnrolment
            + (planned + [.withdrawn(deletesData: deletes)]).flatMap { encoder.drafts($0, at: moment) }
        let rule = loaded.platform.leaving(deletesData: deletes)
        try await leave(stamp, rule, deletesUnsent, deletesData: deletes, sending: drafts)
        return present.record
    }

    /// Nil also where this program cannot read the file: who leaves does not wait for one that can.
    private func readableStudy(_ record: EnrolmentRecord) async throws -> LoadedStudy? {
        do { return try await database.loadedStudy(record) } catch is StudyFormatError { return nil }
    }

    /// Whether data is deleted where the study's own rule is not known, and what is then removed here. There is
    /// nothing to decide on a platform that never deletes.
    private func leavingLost(_ record: EnrolmentRecord, _ word: Bool?) throws -> (deletes: Bool, rule: Leaving) {
        let platform = PlatformCatalog.standard[PlatformName(rawValue: record.platform)]
        func rule(_ deletes: Bool) -> Leaving {
            platform?.leaving(deletesData: deletes) ?? Leaving(deletesUnsent: deletes, erasesAnswers: deletes)
        }
        if rule(true) == rule(false) { return (try WithdrawalRule.keepsData.decision(word), rule(false)) }
        guard let word else { throw EnrolmentError.dataRuleLost }
        return (word, rule(word))
    }

    private func leave(
        _ stamp: EventStamp, _ rule: Leaving, _ deletesUnsent: Bool?, deletesData: Bool, sending drafts: [OutboxDraft]
    ) async throws {
        let deletes = deletesUnsent ?? rule.deletesUnsent
        do {
            try await database.withdraw(
                deletesUnsent: deletes, erasesAnswers: rule.erasesAnswers, deletesData: deletesData, sending: drafts,
                at: stamp)
        } catch let error as DatabaseError where error.kind == .diskFull {
            throw EnrolmentError.noRoomToLeave(await database.stateFolder)
        }
        if deletes || rule.erasesAnswers { results?.remove(of: stamp.enrolment) }
        // Texts with answers in them may have been rendered to be spoken.
        if rule.erasesAnswers { voice?.forget() }
    }
}
