// SPDX-License-Identifier: Apache-2.0
import Base
import Lab

/// The server of ESMira, endpoint by endpoint, as `ESMiraRoutes` calls it: of its checks those that studyd can
/// run into, in its order and words (ESMira-web 3.5.1). Every answer comes with status 200.
struct ESMiraAPI: Sendable {
    let studies: ESMiraStudyFolder
    let store: ESMiraStore
    let newID: @Sendable () -> String
    let quota: Quota
    /// Whether the lab takes nothing more in that name.
    let isRevoked: @Sendable (String) async throws -> Bool

    /// What every answer names as its `serverVersion`.
    static let protocolVersion = 11

    /// The answer to a request that was done.
    static func success(_ dataset: JSONValue) -> JSONValue {
        .members(["success": .boolean(true), "serverVersion": .int(protocolVersion), "dataset": dataset])
    }

    private static func decoded(_ body: [UInt8]) -> JSONValue? {
        String(validating: body, as: UTF8.self).flatMap { try? JSONReader.value($0, depthLimit: 128) }
    }

    /// The request as JSON. Throws the server's refusal where one of the members `names` is missing.
    private static func checked(_ body: [UInt8], _ names: [String]) throws(ESMiraRefusal) -> JSONValue {
        let json = decoded(body) ?? .null
        for name in names + ["serverVersion"] where !ESMiraValue.isSet(json[name]) {
            throw ESMiraRefusal("Missing data")
        }
        return json
    }

    private func admit(_ bytes: Int, of user: String) async throws {
        try quota.check(
            Int64(bytes), beside: try await store.transaction { try $0.bytes(of: user) }, of: "participant",
            quota.perDevice)
    }

    private func checkOpen(_ user: String) async throws {
        if try await isRevoked(user) { throw ESMiraRefusal.locked }
    }

    // MARK: What is sent

    /// Takes datasets: answers of a participant, and events of the app. Each has its own result in the answer.
    func datasets(_ body: [UInt8], at now: Instant) async throws -> JSONValue {
        guard let json = Self.decoded(body), case .object = json else { throw ESMiraRefusal("Unexpected data format") }
        try await checkOpen(ESMiraValue.text(json["userId"]))
        if let user = json["userId"]?.string { try await admit(body.count, of: user) }
        let studies = try await studies.all()
        return try await store.transaction { tables in
            var intake = ESMiraIntake(studies, tables, at: now)
            return try intake.answer(json)
        }
    }

    /// Takes a sound file. The dataset with the answer that names the file must have come before.
    func file(_ parts: [MultipartForm.Part], at now: Instant) async throws -> JSONValue {
        func text(_ name: String) -> String? {
            parts.last { $0.name == name && $0.fileName == nil }.map { String(decoding: $0.content, as: UTF8.self) }
        }
        guard let study = text("studyId").flatMap({ Int($0) }), let user = text("userId"), text("dataType") == "Audio",
            let part = parts.last(where: { $0.name == "upload" && $0.fileName != nil })
        else { throw ESMiraRefusal("Missing data") }
        // PHP takes the apps' sound files, which are 3GP, for video.
        guard ESMiraMedia.isVideo(part.content) else { throw ESMiraRefusal("Wrong format") }
        try await checkOpen(user)
        try await admit(part.content.count, of: user)
        let identifier = Int(part.fileName ?? "") ?? 0
        let milliseconds = Int(now.milliseconds)
        return try await store.transaction { tables in
            guard let name = try tables.awaited(identifier, of: user, in: study) else {
                throw ESMiraRefusal("Not allowed")
            }
            try tables.keep(part.content, as: name, identifier: identifier, of: user, in: study, at: milliseconds)
            return Self.success(.boolean(true))
        }
    }

    /// Takes a message of a participant. Messages that were handed out to them before count as read.
    func message(_ body: [UInt8], at now: Instant) async throws -> JSONValue {
        let json = try Self.checked(body, ["userId", "studyId", "content"])
        let (user, content) = (ESMiraValue.text(json["userId"]), ESMiraValue.text(json["content"]))
        let (study, milliseconds) = (ESMiraValue.whole(json["studyId"]), Int(now.milliseconds))
        try await checkOpen(user)
        try await admit(body.count, of: user)
        let exists = try await studies.all().contains { $0.id == study }
        return try await store.transaction { tables in
            try tables.checkOpen(study)
            guard content.utf8.count >= 2 else { throw ESMiraRefusal("Message is too short") }
            guard exists else { throw ESMiraRefusal("Could not open the messages of study \(study)") }
            try tables.noteRead(by: user, of: study, at: milliseconds)
            try tables.add(
                ESMiraMessage(user: user, sender: user, content: content, sent: milliseconds, isPending: false),
                of: study)
            return Self.success(.boolean(true))
        }
    }

    /// Takes a report of a study's scripts. The refusals of `save_merlin_log.php` end with a full stop.
    func scriptLog(_ body: [UInt8], at now: Instant) async throws -> JSONValue {
        do { return try await keepScriptLog(body, at: now) } catch let refusal as ESMiraRefusal {
            throw ESMiraRefusal(refusal.message + ".")
        }
    }

    private func keepScriptLog(_ body: [UInt8], at now: Instant) async throws -> JSONValue {
        let json = try Self.checked(body, ["studyId", "content"])
        let (study, milliseconds) = (ESMiraValue.whole(json["studyId"]), Int(now.milliseconds))
        let content = ESMiraValue.text(json["content"])
        return try await store.transaction { tables in
            try tables.checkOpen(study)
            guard content.utf8.count >= 2 else { throw ESMiraRefusal("Message is too short") }
            try tables.add(report: content, of: study, at: milliseconds)
            return Self.success(.boolean(true))
        }
    }

    // MARK: What is asked

    /// The studies that a key opens, or those without keys; in the language that is asked for
    /// where they have it.
    func studies(key: String?, language: String, withFinished: Bool) async throws -> JSONValue {
        let key = (key ?? "").lowercased()
        let opened = try await studies.all().filter { study in
            study.isPublished && (withFinished || !study.isOver)
                && (key.isEmpty ? study.keys.isEmpty : study.keys.contains(key))
        }
        return Self.success(.array(opened.map { $0.json(language) }))
    }

    /// New versions of studies, and messages. A message is handed out until a later request
    /// says that it came.
    func update(_ body: [UInt8], language: String, at now: Instant) async throws -> JSONValue {
        let json = try Self.checked(body, ["dataset", "userId"])
        let user = ESMiraValue.text(json["userId"])
        let studies = try await studies.all()
        let milliseconds = Int(now.milliseconds)
        return try await store.transaction { tables in
            var news: [JSONValue.Member] = []
            for (name, entry) in (json["dataset"] ?? .null).members.map({ ($0.name, $0.value) }) {
                guard let id = Int(name), let study = studies.first(where: { $0.id == id }) else {
                    throw ESMiraRefusal("Could not open the messages of study \(name)")
                }
                if try tables.isFrozen(id) { continue }
                var line: [JSONValue.Member] = []
                let messages = try tables.handOut(
                    id, user, after: ESMiraValue.whole(entry["msgTimestamp"]), at: milliseconds)
                if !messages.isEmpty { line.append(.init(name: "msgs", value: .array(messages))) }
                if !study.isOpened(by: entry["accessKey"]?.string) {
                    line.append(.init(name: "errorCode", value: .string("wrongAccessKey")))
                } else if entry["forceStudyUpdate"]?.bool == true || study.version > ESMiraValue.whole(entry["version"])
                {
                    line.append(.init(name: "study", value: study.json(entry["lang"]?.string ?? language)))
                }
                if !line.isEmpty { news.append(.init(name: name, value: .object(line))) }
            }
            return Self.success(.object(news))
        }
    }

    func statistics(study id: String?, key: String?) async throws -> JSONValue {
        guard let id = id.flatMap({ Int($0) }) else { throw ESMiraRefusal("Missing data") }
        guard let study = try await studies.all().first(where: { $0.id == id }) else {
            throw ESMiraRefusal("Study does not exist")
        }
        guard study.isOpened(by: key) else { throw ESMiraRefusal("Wrong accessKey: \(key ?? "")") }
        return try await store.transaction { tables in
            let variables = try study.observed.variables.map { variable in
                let entries = try variable.entries.map { entry in
                    ESMiraStatistics(entry: entry, answers: try tables.counted(entry.name, of: id)).json
                }
                return JSONValue.Member(name: variable.key, value: .array(entries))
            }
            return Self.success(.object(variables))
        }
    }

    /// A code for a participant who has filled out enough.
    func reward(_ body: [UInt8], at now: Instant) async throws -> JSONValue {
        let json = try Self.checked(body, ["studyId", "userId"])
        let id = ESMiraValue.whole(json["studyId"])
        let user = ESMiraValue.text(json["userId"])
        try await checkOpen(user)
        guard let study = try await studies.all().first(where: { $0.id == id }) else {
            throw ESMiraRefusal("Study does not exist")
        }
        let (code, milliseconds) = (String(newID().lowercased().filter(\.isHexDigit).prefix(10)), Int(now.milliseconds))
        return try await store.transaction { tables in
            try tables.checkOpen(id)
            return try Self.reward(study, user, code, tables, at: milliseconds)
        }
    }

    private static func reward(
        _ study: ESMiraServedStudy, _ name: String, _ code: String, _ tables: ESMiraTables, at now: Int
    ) throws -> JSONValue {
        // `number` is the server's code for why there is no reward.
        func none(_ number: Int, _ message: String, _ fulfilled: [JSONValue.Member] = []) -> JSONValue {
            Self.success(
                .members([
                    "errorCode": .int(number), "errorMessage": .string(message),
                    "fulfilledQuestionnaires": .object(fulfilled),
                ]))
        }
        let known = try tables.user(name, of: study.id)
        var user = try known ?? ESMiraUser(name: name, number: tables.nextNumber(in: study.id), joined: now)
        if known == nil { try tables.save(user, of: study.id) }
        if user.isRewarded { return none(4, "Reward code was already generated") }
        guard study.hasRewards else { return none(2, "Reward codes are disabled") }
        guard now >= user.joined + 86_400_000 * study.rewardVisibleAfter else {
            return none(3, "Rewards are not accessible yet")
        }
        let fulfilled = study.questionnaires.map { questionnaire in
            let isTheirs = questionnaire.group == 0 || questionnaire.group == user.group
            let isEnough = user.counts[String(questionnaire.id)] ?? 0 >= questionnaire.minimumForReward
            return JSONValue.Member(
                name: String(questionnaire.id),
                value: .boolean(!isTheirs || questionnaire.minimumForReward == 0 || isEnough))
        }
        guard fulfilled.allSatisfy({ $0.value == .boolean(true) }) else {
            return none(3, "Not all conditions are fulfilled", fulfilled)
        }
        (user.isRewarded, user.handled) = (true, now)
        try tables.save(user, of: study.id)
        return Self.success(.members(["errorCode": .int(0), "code": .string(code)]))
    }

    // MARK: What a researcher does

    /// A message to one participant, or to all who have sent anything. Returns to how many.
    func send(_ content: String, to user: String?, of study: Int, at now: Instant) async throws -> Int {
        let milliseconds = Int(now.milliseconds)
        return try await store.transaction { tables in
            let users = try user.map { [$0] } ?? tables.users(of: study).map(\.name)
            for user in users {
                try tables.add(
                    ESMiraMessage(user: user, sender: "lab", content: content, sent: milliseconds, isPending: true),
                    of: study)
            }
            return users.count
        }
    }
}
