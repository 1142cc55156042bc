// SPDX-License-Identifier: Apache-2.0
import Base
import PlatformKit
import Platforms
import Study

/// Takes a study onto the device, or off it, and tells its server that the participant looked at the
/// graphs. The running study is untouched until everything about the new one is right.
package struct Enroller: Sendable {
    /// The options of `studyd enroll`.
    package struct Wish: Sendable {
        package var loaded: LoadedStudy
        /// The pseudonym; nil = the one of the enrolment before on this device, else a
        /// new one is drawn.
        package var participant: String?
        /// From which every draw follows, for trials that can be repeated; nil = random.
        package var seed: UInt64?
        /// Where records go instead of the study's own address; nil = there.
        package var postURL: String?
        /// Enrols though sounds of the study cannot be played.
        package var allowsSilence = false
        /// Keys of tasks that are left out because this board cannot ask them; the log records it.
        package var without: [String] = []
        /// How long the participant holds buttons.
        package var holdTimes = HoldTimes.usual
        /// The key by which the lab's receiver knows this device; nil = the one it has, else a new one.
        package var deviceKey: DeviceKey?
        /// By which the lab's receiver takes that key as this participant's; nil = another way.
        package var code: EnrolmentCode?
        /// Consent as the assistant recorded it; nil where the platform has none.
        package var consent: ConsentRecord?
        /// The version that the study asks for, empty where it asks for none; nil = not known.
        package var consentVersion: String?
        /// Rules beside the study; nil = none.
        package var rules: RulesFile?
        /// Values that outlive runs and are known before the first.
        package var variables: [String: AnswerValue] = [:]
        /// Enrols at the platform's server, once everything else is right, and gives the key by
        /// which it knows the participant; blocks. nil = the platform has no enrolment.
        package var join: (@Sendable () throws -> String)?

        package init(loaded: LoadedStudy, participant: String? = nil, seed: UInt64? = nil, postURL: String? = nil) {
            self.loaded = loaded
            self.participant = participant
            self.seed = seed
            self.postURL = postURL
        }
    }

    private let database: StudyDatabase
    private let panel: Panel
    private let zone: Zone
    private let stamps: EventClock
    private let media: MediaCache
    private let voice: SpeechVoice?
    private let results: ResultFolder?
    private let key: DeviceKeyFile?
    private let fit: MeasuringFit?
    private let sensors: RuleSensors
    /// Where answers and recordings go in addition to the study's server.
    private let destinations: [ConfiguredDestination]
    /// Tries whether an address answers, and says why not; blocks. nil = nothing is tried.
    private let tries: (@Sendable (_ address: String) -> String?)?
    /// The clock is trusted now.
    private let isDated: @Sendable () -> Bool

    /// An enroller for this device; without a `key` file no key is made, without a `voice` no speech is
    /// rendered, without `results` none are deleted, without `fit` nothing is measured.
    package init(
        database: StudyDatabase, panel: Panel, zone: Zone, stamps: EventClock, media: MediaCache,
        voice: SpeechVoice? = nil, results: ResultFolder? = nil, key: DeviceKeyFile? = nil, fit: MeasuringFit? = nil,
        destinations: [ConfiguredDestination] = [], tries: (@Sendable (_ address: String) -> String?)? = nil,
        features: FeatureSettings? = nil, isDated: @escaping @Sendable () -> Bool = { true }
    ) {
        sensors = fit.map { RuleSensors(on: $0, features, panel) } ?? .catalog
        self.isDated = isDated
        self.destinations = destinations
        self.tries = tries
        self.fit = fit
        self.database = database
        self.panel = panel
        self.zone = zone
        self.stamps = stamps
        self.media = media
        self.voice = voice
        self.results = results
        self.key = key
    }

    /// Shown while a person waits for the enrolment; called on another thread.
    package enum Progress: Sendable, Hashable {
        /// How many of all texts are ready to be spoken.
        case speech(done: Int, of: Int)
        /// What does not work, though the enrolment does: a sound that cannot be fetched, speech
        /// that cannot be made.
        case remark(String)
    }

    /// Enrols; throws what is wrong, in words. Everything that can be refused is refused before `join`, which
    /// cannot be taken back.
    package func enrol(
        _ asked: Wish, progress: @escaping @Sendable (Progress) -> Void = { _ in }
    ) async throws -> EnrolmentRecord {
        if let name = asked.participant, !Pseudonym.isSendable(name) { throw EnrolmentError.badPseudonym(name) }
        if let consent = asked.consent { try refuseLater(consent) }
        // Refused by the study, the wish and the log alone.
        var wish = try leavingOut(asked)
        if let rules = wish.rules { wish.loaded = wish.loaded.with(try rules.read(for: wish.loaded.study, sensors)) }
        let study = wish.loaded.study
        try refuseBadAddress(wish)
        guard await !database.leavesFile else { throw EnrolmentError.storeNotUsable }
        if let lost = try await database.enrolmentWithoutStudy() {
            try await putBack(wish, for: lost)
            progress(.remark("the study's file was lost and is back: this enrolment continues as it was"))
            return lost
        }
        if let present = try await database.latestEnrolment(), present.withdrawn == nil {
            throw EnrolmentError.alreadyEnrolled(present.record.studyID)
        }
        guard try await !database.isClosed() else { throw EnrolmentError.handedOver }
        try await refuseReturn(to: wish.loaded)
        // The arm is drawn; refused for what this board cannot ask or measure.
        let seed = try wish.seed.map(EnrolmentSeed.numbered) ?? EnrolmentSeed.fresh()
        let draw = ChanceDraw.condition(of: study, chance: Chance(enrolmentSeed: seed))
        try refuse(study, arm: draw?.result)
        for text in remarks(wish) { progress(.remark(text)) }
        if let problems = fit?.problems, !problems.isEmpty {
            throw EnrolmentError.cannotMeasure(problems.map(\.description))
        }
        for remark in fit?.remarks ?? [] { progress(.remark(remark)) }
        // Addresses are tried, and sounds and speech are fetched: only missing sounds refuse.
        let targets = targets(wish)
        try await onThread("studyd-try") { for text in unreachable(targets) { progress(.remark(text)) } }
        let problems = try await onThread("studyd-media") { prepare(study, progress) }
        let silent = problems.filter { $0.place == Self.media }.map(\.message)
        guard silent.isEmpty || wish.allowsSilence else { throw EnrolmentError.silent(silent) }
        // Joining cannot be taken back: everything that the device refuses was refused before.
        if let join = wish.join { wish.participant = try await onThread("studyd-join") { try join() } }
        let enrolment = try await enrolment(wish, seed, draw)
        let digest = try await database.keepStudyFile(
            wish.loaded.bytes, source: wish.loaded.origin, at: stamps.clock.now)
        var record = EnrolmentRecord(
            enrolment, platform: study.platform, source: wish.loaded.origin, fileDigest: digest, postURL: wish.postURL)
        if !wish.without.isEmpty { record.without = wish.without }
        if let rules = wish.rules {
            record.rules = try await database.keepStudyFile(
                rules.bytes, source: rules.path, at: stamps.clock.now
            ).description
        }
        if wish.holdTimes != .usual { record.holdTimes = wish.holdTimes }
        let ownKey = try await onThread("studyd-key") { [key, given = wish.deviceKey, code = wish.code] in
            try key?.prepare(given, code: code)
        }
        record.deviceKey = ownKey?.publicText
        if !isDated() { record.undated = .init(bootID: stamps.bootID, monotonic: stamps.moment.monotonic) }
        try await commit(record, enrolment, draw, problems, wish)
        return record
    }

    /// Puts the files back with which an enrolment was made; nothing is drawn again. Throws for any other file, and
    /// for another participant.
    private func putBack(_ wish: Wish, for record: EnrolmentRecord) async throws {
        let digest = try Digest(of: wish.loaded.bytes).description
        let rules = try wish.rules.map { try Digest(of: $0.bytes).description }
        guard digest == record.fileDigest, rules == record.rules,
            wish.participant == nil || wish.participant == record.participant
        else { throw EnrolmentError.notTheLostStudy(record.lostStudy) }
        let changes = try changes(in: wish, to: record)
        guard changes.isEmpty else { throw EnrolmentError.continuesAsItWas(changes) }
        _ = try await database.keepStudyFile(wish.loaded.bytes, source: wish.loaded.origin, at: stamps.clock.now)
        if let rules = wish.rules {
            _ = try await database.keepStudyFile(rules.bytes, source: rules.path, at: stamps.clock.now)
        }
    }

    /// The options by which an enrolment would be another one than it is.
    private func changes(in wish: Wish, to record: EnrolmentRecord) throws -> [String] {
        let seed = try wish.seed.map { try EnrolmentSeed.numbered($0).hexadecimal }
        let options: [(name: String, isChange: Bool)] = [
            ("--consent", wish.consent != nil), ("--code", wish.code != nil),
            ("--device-key-file", wish.deviceKey != nil && wish.deviceKey?.publicText != record.deviceKey),
            ("--post-url", wish.postURL != nil && wish.postURL != record.postURL),
            ("--without", !wish.without.isEmpty && wish.without != record.without),
            ("--hold-times", wish.holdTimes != .usual && wish.holdTimes != record.holdTimes),
            ("--seed", seed != nil && seed != record.seed),
        ]
        return options.filter(\.isChange).map(\.name)
    }

    /// The study without the tasks that are left out, by key: a choice made at enrolment.
    private func leavingOut(_ wish: Wish) throws -> Wish {
        let keys = wish.loaded.study.tasks.map(\.key)
        if let unknown = wish.without.first(where: { !keys.contains($0) }) {
            throw EnrolmentError.noSuchTask(unknown, keys)
        }
        guard Set(wish.without) != Set(keys) || keys.isEmpty else { throw EnrolmentError.nothingLeft }
        var wish = wish
        wish.loaded = wish.loaded.without(wish.without)
        return wish
    }

    /// Throws where a consent was signed on a day that has not come, as far as that is known.
    func refuseLater(_ consent: ConsentRecord) throws {
        if isDated() { try consent.refuseLater(than: zone.local(stamps.clock.now).date) }
    }

    private static let media = "media"

    private struct Problem: Sendable {
        let place: String
        let message: String
    }

    /// Fetches the sounds of a study and renders its speech, and keeps those of the one that still
    /// runs; blocks. What fails is not played.
    func prepare(_ study: StudyProtocol, beside present: StudyProtocol) {
        _ = prepare(study, beside: Vocabulary(present, on: panel).parts) { _ in }
    }

    /// Fetches sounds and renders speech; blocks.
    private func prepare(
        _ study: StudyProtocol, beside others: [Utterance] = [], _ progress: (Progress) -> Void
    ) -> [Problem] {
        // Without a loudspeaker the sheet names them, as it does pictures.
        let sounds = panel.hasLoudspeaker ? study.media : []
        var problems = media.fetch(sounds.filter { $0.kind == .audio }).map {
            Problem(place: Self.media, message: $0.text)
        }
        problems += media.fetch(sounds.filter { $0.kind == .video }).map { Problem(place: "video", message: $0.text) }
        let rendering = voice?.render(Vocabulary(study, on: panel).parts + others) {
            progress(.speech(done: $0, of: $1))
        }
        if let remark = rendering?.remark { problems.append(Problem(place: "speech", message: remark)) }
        for problem in problems { progress(.remark(problem.message)) }
        return problems
    }

    private func commit(
        _ record: EnrolmentRecord, _ enrolment: Enrolment, _ draw: ChanceDraw?, _ problems: [Problem], _ wish: Wish
    ) async throws {
        let context = WireContext(study: wish.loaded.study, enrolment: enrolment, zone: zone, postURL: wish.postURL)
        var encoder = EventEncoder(context: context)
        var events: [StudyEvent] = [.enrolled(enrolment: record)]
        if let draw {
            let weights = Dictionary(grouping: wish.loaded.study.conditions) { $0 }.mapValues {
                Double($0.count) / Double(wish.loaded.study.conditions.count)
            }
            events.append(.drawn(what: draw.what, value: draw.result, probabilities: weights))
        }
        if let consent = wish.consent {
            events.append(
                .consented(name: "consent", version: consent.version, choice: consent.choice(otherwise: "NA")))
        }
        if let version = wish.consentVersion {
            events.append(.serverFact(name: ServerFact.consent, text: version))
            if wish.consent == nil, !version.isEmpty {
                events.append(
                    .fault(place: "consent", message: "no consent was recorded; the study's is version \(version)"))
            }
        }
        events += wish.variables.sorted { $0.key < $1.key }.map { .variableSet(name: $0.key, value: $0.value) }
        events += problems.map { .fault(place: $0.place, message: $0.message) }
        // The server would count from an unknown date too; it gets the enrolment once the date is
        // known.
        let drafts = record.undated == nil ? encoder.drafts(.enrolled, at: stamps.moment) : []
        let hellos = destinations.filter(\.destination.isLab).map { hello(record, to: $0.destination.name) }
        try await database.append(events, sending: drafts + hellos, at: stamps.stamp(record.id))
    }

    /// Makes this device known to the lab's receiver, on the way that recordings take.
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

    /// Every request carries its address from the first day on: one that can never be reached is
    /// noticed now or too late.
    private func refuseBadAddress(_ wish: Wish) throws {
        let url = wish.postURL ?? wish.loaded.study.postURL ?? ""
        guard let problem = PostAddress(url).problem else { return }
        throw EnrolmentError.badAddress(problem, remedy: wish.loaded.platform.addressRemedy)
    }

    /// Where what is produced goes.
    private struct Target: Sendable {
        let address: String
        /// What happens there.
        let words: String
        /// What to do about a wrong address.
        let remedy: String
    }

    private func targets(_ wish: Wish) -> [Target] {
        let own = Target(
            address: wish.postURL ?? wish.loaded.study.postURL ?? "", words: "answers are sent",
            remedy: "leave the study and enrol again with --post-url ADDRESS")
        let configured = destinations.map {
            Target(address: $0.destination.address ?? "", words: $0.takes.words, remedy: "correct it in studyd.toml")
        }
        return [own] + configured
    }

    /// Addresses that are spoken to without encryption.
    private func plainAddresses(_ wish: Wish) -> [String] {
        let origin = PlainAddress.remark(wish.loaded.origin, for: "the study was fetched")
        return ([origin] + targets(wish).map { PlainAddress.remark($0.address, for: $0.words) }).compactMap(\.self)
    }

    /// Addresses without an answer, which would otherwise be noticed on the day of the first
    /// recording, or never. Blocks for some seconds each.
    private func unreachable(_ targets: [Target]) -> [String] {
        guard let tries else { return [] }
        var asked: Set<String> = []
        return targets.compactMap { target in
            guard !target.address.isEmpty, asked.insert(target.address).inserted,
                let problem = tries(target.address)
            else { return nil }
            return
                "WARNING \(target.address), where \(target.words), does not answer (\(problem)): what is to be sent waits on this device until it does. "
                + "If the address is wrong, \(target.remedy)"
        }
    }

    /// What the person who enrols must know of the study: what probably runs otherwise than it was
    /// meant, and what this board leaves out.
    private func remarks(_ wish: Wish) -> [String] {
        plainAddresses(wish)
            + StudyVerdict(wish.loaded.study, on: panel).remarks.compactMap { remark in
                if wish.postURL != nil, remark.path == "$.properties.post_url" { return nil }
                switch remark.kind {
                case .warning: return "WARNING \(remark.place): \(remark.message)"
                case .unsupported: return "not supported: \(remark.place): \(remark.message)"
                case .assumption, .refusal: return nil
                }
            }
    }

    private func enrolment(_ wish: Wish, _ seed: [UInt8], _ draw: ChanceDraw?) async throws -> Enrolment {
        let kept = try await database.latestEnrolment()?.record.participant
        var generator: any RandomNumberGenerator = SystemRandomNumberGenerator()
        let participant =
            wish.participant.map(ParticipantID.init)
            ?? wish.loaded.platform.pseudonym(before: kept, using: &generator)
        let enrolment = try Enrolment(
            in: wish.loaded.study, participant: participant, seed: seed, at: stamps.clock.now, zone: zone,
            condition: draw?.result)
        return enrolment
    }

    /// A participant cannot return to a study that takes each participant once.
    private func refuseReturn(to loaded: LoadedStudy) async throws {
        let study = loaded.study
        guard !loaded.platform.takesAgain(in: study), try await database.hasLeft(study: study.studyID) else { return }
        throw EnrolmentError.takesNobodyAgain(study.studyID)
    }

    /// The participant looked at the graphs of their own answers.
    package func graphsSeen() async throws {
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
    /// the participant has to decide.
    package func withdraw(deletesUnsent: Bool?, deletesData: Bool? = nil) async throws -> EnrolmentRecord {
        guard let present = try await database.latestEnrolment(), present.withdrawn == nil,
            let enrolment = present.record.enrolment
        else { throw EnrolmentError.notEnrolled }
        var record = present.record
        // Rules say nothing about leaving.
        record.rules = nil
        guard let loaded = try await database.loadedStudy(record) else {
            let (deletes, rule) = try leavingLost(record, deletesData)
            try await leave(record.id, rule, deletesUnsent, deletesData: deletes, sending: [])
            return present.record
        }
        let deletes = try loaded.study.leaving.withdrawal.decision(deletesData)
        let context = WireContext(study: loaded.study, enrolment: enrolment, zone: zone, postURL: record.postURL)
        var encoder = EventEncoder(context: context)
        let enrolled = Moment(instant: record.instant, monotonic: stamps.moment.monotonic)
        // While its date was not certain, the server was not sent the enrolment.
        let unsentEnrolment = record.undated == nil ? [] : encoder.drafts(.enrolled, at: enrolled)
        // What was announced as planned is taken back first.
        let planned = PlanWatch.end(try await database.serverFact(ServerFact.planned, of: record.id))
        let drafts =
            unsentEnrolment
            + (planned + [.withdrawn(deletesData: deletes)]).flatMap { encoder.drafts($0, at: stamps.moment) }
        let rule = loaded.platform.leaving(deletesData: deletes)
        try await leave(record.id, rule, deletesUnsent, deletesData: deletes, sending: drafts)
        return present.record
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
        _ enrolment: String, _ rule: Leaving, _ deletesUnsent: Bool?, deletesData: Bool, sending drafts: [OutboxDraft]
    ) async throws {
        let deletes = deletesUnsent ?? rule.deletesUnsent
        try await database.withdraw(
            deletesUnsent: deletes, erasesAnswers: rule.erasesAnswers, deletesData: deletesData, sending: drafts,
            at: stamps.stamp(enrolment))
        if deletes || rule.erasesAnswers { results?.remove(of: enrolment) }
        // Texts with answers in them may have been rendered to be spoken.
        if rule.erasesAnswers { voice?.forget() }
    }
}

extension StudyDatabase {
    /// The study of an enrolment, as it was received; nil when its file, or that of its rules, is gone or damaged.
    /// Read on another thread: the store's thread goes on to commit answers.
    package nonisolated func loadedStudy(_ record: EnrolmentRecord) async throws -> LoadedStudy? {
        guard let bytes = try await studyFile(record.fileDigest) else { return nil }
        var rules: [UInt8]?
        if let digest = record.rules {
            rules = try await studyFile(digest)
            if rules == nil { return nil }
        }
        let name = PlatformName(rawValue: record.platform)
        // Where this program no longer has the platform, another one may understand the file.
        let isKnown = PlatformCatalog.standard[name] != nil
        return try await onThread("studyd-load") { [rules] in
            try LoadedStudy(bytes, origin: record.source, platform: isKnown ? name : nil).without(record.without ?? [])
                .with(rules: rules)
        }
    }

    /// The same for what is impossible without it: throws where the file is gone or damaged.
    package nonisolated func requiredStudy(_ record: EnrolmentRecord) async throws -> LoadedStudy {
        guard let loaded = try await loadedStudy(record) else { throw EnrolmentError.studyLost(record.lostStudy) }
        return loaded
    }
}
