// SPDX-License-Identifier: Apache-2.0
import Times

/// The server of ESMira, endpoint by endpoint: what it checks, in which order, in which words (ESMira-web 3.5.1). Every answer comes with status 200.
struct ESMiraDesk: Sendable {
    let shelf: ESMiraShelf
    let archive: Archive
    let newID: @Sendable () -> String
    let quota: Quota

    // MARK: What is sent

    func datasets(_ body: [UInt8], at now: Instant) async throws -> JSONValue {
        guard let json = PHPValue.decoded(body), PHPValue.isTrue(json) else {
            return ESMiraRefusal("Unexpected data format").json
        }
        if let user = json["userId"]?.string { try await quota.admit(Int64(body.count), ofESMira: user) }
        let studies = try await shelf.studies()
        return try await archive.esmira { tables in
            var intake = ESMiraIntake(studies, tables, at: now)
            return try intake.answer(json)
        }
    }

    /// A file of a form: the dataset that names it must have come before.
    func file(_ parts: [MultipartForm.Part], length: Int, at now: Instant) async throws -> JSONValue {
        func text(_ name: String) -> String? {
            parts.last { $0.name == name && $0.fileName == nil }.map { String(decoding: $0.content, as: UTF8.self) }
        }
        guard length == 0 || parts.contains(where: { $0.fileName == nil }) else {
            return ESMiraRefusal("File is too big for server").json
        }
        guard let study = text("studyId").map(PHPValue.int), let user = text("userId"), let type = text("dataType")
        else { return ESMiraRefusal("Missing data").json }
        guard let part = parts.last(where: { $0.name == "upload" && $0.fileName != nil }) else {
            return ESMiraRefusal("No content to upload").json
        }
        let content = part.content
        let media = ESMiraMedia.type(content)
        switch type {
        case "Image": guard ESMiraMedia.isImage(content) else { return ESMiraRefusal("Not an image").json }
        case "Audio":
            guard media.hasPrefix("video/") else { return ESMiraRefusal("Wrong format").json }
        default: return ESMiraRefusal("Unknown type").json
        }
        try await quota.admit(Int64(content.count), ofESMira: user)
        let identifier = PHPValue.int(part.fileName ?? "")
        let milliseconds = Int(now.milliseconds)
        return try await archive.esmira { tables in
            guard let name = try tables.awaited(identifier, of: user, in: study) else {
                return ESMiraRefusal("Not allowed").json
            }
            let isNew = try tables.keep(
                content, type == "Image" ? "image" : media, as: name, identifier: identifier, of: user, in: study,
                at: milliseconds)
            return isNew ? ESMiraRefusal.success(.boolean(true)) : ESMiraRefusal("File already exists").json
        }
    }

    /// A message of a participant. Those that were handed out before count as read from now on.
    func message(_ body: [UInt8], at now: Instant) async throws -> JSONValue {
        guard let json = PHPValue.decoded(body), PHPValue.isTrue(json) else {
            return ESMiraRefusal("Unexpected data").json
        }
        for name in ["userId", "studyId", "content", "serverVersion"] where !PHPValue.isSet(json[name]) {
            return ESMiraRefusal("Missing data").json
        }
        if let refusal = try Self.outdated(json) { return refusal }
        guard let user = try? PHPValue.text(json["userId"] ?? .null),
            let content = try? PHPValue.text(json["content"] ?? .null)
        else { return ESMiraRefusal("Internal server error").json }
        let (study, milliseconds) = (PHPValue.int(json["studyId"]), Int(now.milliseconds))
        try await quota.admit(Int64(body.count), ofESMira: user)
        let exists = try await shelf.studies().contains { $0.id == study }
        return try await archive.esmira { tables in
            if try tables.isFrozen(study) { return ESMiraRefusal("This study is locked").json }
            guard content.utf8.count >= 2 else { return ESMiraRefusal("Message is too short").json }
            guard PHPValue.passesStrictCheck(.string(user)) else { return ESMiraRefusal("User is faulty").json }
            guard exists else { return ESMiraRefusal("Could not open the messages of study \(study)").json }
            for var message in try tables.messages(of: study, user: user, state: .pending) where message.delivered > 0 {
                (message.state, message.read) = (.archived, milliseconds)
                try tables.update(message)
            }
            try tables.add(
                ESMiraMessage(user: user, sender: user, content: content, sent: milliseconds, state: .unread), of: study
            )
            return ESMiraRefusal.success(.boolean(true))
        }
    }

    /// What a study's scripts have to say; `save_merlin_log.php` ends its words with a full stop.
    func scriptLog(_ body: [UInt8], at now: Instant) async throws -> JSONValue {
        guard let json = PHPValue.decoded(body), PHPValue.isTrue(json) else {
            return ESMiraRefusal("Unexpected data.").json
        }
        for name in ["studyId", "content", "serverVersion"] where !PHPValue.isSet(json[name]) {
            return ESMiraRefusal("Missing data.").json
        }
        guard try Self.outdated(json) == nil else { return ESMiraRefusal("This app is outdated. Aborting.").json }
        let (study, milliseconds) = (PHPValue.int(json["studyId"]), Int(now.milliseconds))
        guard let content = try? PHPValue.text(json["content"] ?? .null) else {
            return ESMiraRefusal("Internal server error.").json
        }
        return try await archive.esmira { tables in
            if try tables.isFrozen(study) { return ESMiraRefusal("This study is locked.").json }
            guard content.utf8.count >= 2 else { return ESMiraRefusal("Message is too short.").json }
            try tables.add(report: content, of: study, at: milliseconds)
            return ESMiraRefusal.success(.boolean(true))
        }
    }

    /// An app's own error report: plain text.
    func errorReport(_ body: [UInt8], at now: Instant) async throws -> JSONValue {
        guard !body.isEmpty else { return ESMiraRefusal("no data").json }
        let (text, milliseconds) = (String(decoding: body, as: UTF8.self), Int(now.milliseconds))
        return try await archive.esmira { tables in
            try tables.add(report: text, of: nil, at: milliseconds)
            return ESMiraRefusal.success(.boolean(true))
        }
    }

    // MARK: What is asked

    /// The studies that a key opens, or those without keys; in the language that is asked for where they have it.
    func studies(key: String?, language: String, withFinished: Bool) async throws -> JSONValue {
        let key = PHPValue.key(key ?? "")
        let opened = try await shelf.studies().filter { study in
            study.isPublished && (withFinished || !study.isOver)
                && (key.isEmpty ? study.keys.isEmpty : study.keys.contains(key))
        }
        return ESMiraRefusal.success(.array(opened.map { $0.json(language) }))
    }

    /// New versions of studies, and messages. A message is handed out until a later request says that it came.
    func update(_ body: [UInt8], language: String, at now: Instant) async throws -> JSONValue {
        guard let json = PHPValue.decoded(body), PHPValue.isTrue(json), PHPValue.isSet(json["dataset"]),
            PHPValue.isSet(json["userId"]), PHPValue.isSet(json["serverVersion"])
        else { return ESMiraRefusal("Missing data").json }
        if let refusal = try Self.outdated(json) { return refusal }
        let user = try PHPValue.text(json["userId"] ?? .null)
        let studies = try await shelf.studies()
        let milliseconds = Int(now.milliseconds)
        return try await archive.esmira { tables in
            var news: [JSONValue.Member] = []
            for (name, entry) in (json["dataset"] ?? .null).members.map({ ($0.name, $0.value) }) {
                guard PHPValue.isSet(entry["version"]), PHPValue.isSet(entry["msgTimestamp"]) else {
                    return ESMiraRefusal("Missing line data").json
                }
                let id = PHPValue.int(name)
                if try tables.isFrozen(id) { continue }
                guard let study = studies.first(where: { $0.id == id }) else {
                    return ESMiraRefusal("Could not open the messages of study \(id)").json
                }
                var line: [JSONValue.Member] = []
                let messages = try Self.handOut(
                    tables, id, user, after: PHPValue.int(entry["msgTimestamp"]), at: milliseconds)
                if !messages.isEmpty { line.append(.init(name: "msgs", value: .array(messages))) }
                if !study.isOpened(by: entry["accessKey"] ?? .string("")) {
                    line.append(.init(name: "errorCode", value: .string("wrongAccessKey")))
                } else if PHPValue.isTrue(entry["forceStudyUpdate"]) || study.version > PHPValue.int(entry["version"]) {
                    line.append(.init(name: "study", value: study.json(entry["lang"]?.string ?? language)))
                }
                if !line.isEmpty { news.append(.init(name: name, value: .object(line))) }
            }
            return ESMiraRefusal.success(.object(news))
        }
    }

    private static func handOut(
        _ tables: ESMiraTables, _ study: Int, _ user: String, after time: Int, at now: Int
    ) throws -> [JSONValue] {
        var messages: [JSONValue] = []
        for var message in try tables.messages(of: study, user: user, state: .pending) {
            if time >= message.sent {
                message.state = .archived
            } else {
                message.read = now
                message.delivered += 1
                messages.append(message.json(from: "server"))
            }
            try tables.update(message)
        }
        return messages
    }

    func statistics(study id: String?, key: String?) async throws -> JSONValue {
        guard let id = id.map(PHPValue.int) else { return ESMiraRefusal("Missing data").json }
        guard let study = try await shelf.studies().first(where: { $0.id == id }) else {
            return ESMiraRefusal("Study does not exist").json
        }
        guard study.isOpened(by: key.map(JSONValue.string)) else {
            return ESMiraRefusal("Wrong accessKey: \(key ?? "")").json
        }
        return try await archive.esmira { tables in
            let variables = try study.observed.variables.map { variable in
                JSONValue.Member(
                    name: variable.key,
                    value: .array(
                        try variable.entries.map { entry in
                            ESMiraStatistics(entry: entry, answers: try tables.counted(entry.name, of: id)).json
                        }))
            }
            return ESMiraRefusal.success(.object(variables))
        }
    }

    /// A code for whoever has filled out enough. Nil where the server breaks down: for a study that is not there.
    func reward(_ body: [UInt8], at now: Instant) async throws -> JSONValue? {
        guard let json = PHPValue.decoded(body), PHPValue.isTrue(json), PHPValue.isSet(json["studyId"]),
            PHPValue.isSet(json["userId"]), PHPValue.isSet(json["serverVersion"])
        else { return ESMiraRefusal("Missing data").json }
        let id = PHPValue.int(json["studyId"])
        let user = try PHPValue.text(json["userId"] ?? .null)
        let study = try await shelf.studies().first { $0.id == id }
        let (code, milliseconds) = (String(newID().lowercased().filter(\.isHexDigit).prefix(10)), Int(now.milliseconds))
        return try await archive.esmira { tables in
            if try tables.isFrozen(id) { return ESMiraRefusal("This study is locked").json }
            guard let study else { return nil }
            return try Self.reward(study, user, code, tables, at: milliseconds)
        }
    }

    private static func reward(
        _ study: ESMiraStudy, _ name: String, _ code: String, _ tables: ESMiraTables, at now: Int
    ) throws -> JSONValue {
        func none(_ number: Int, _ message: String, _ fulfilled: [JSONValue.Member] = []) -> JSONValue {
            ESMiraRefusal.success(
                .members([
                    "errorCode": .int(number), "errorMessage": .string(message),
                    "fulfilledQuestionnaires": .object(fulfilled),
                ]))
        }
        let known = try tables.user(name, of: study.id)
        var user =
            try known
            ?? ESMiraUser(name: name, number: tables.users(of: study.id).count + 1, token: nil, joined: now)
        // Asking makes a file too, which stays empty until a dataset comes.
        if known == nil { try tables.save(user, of: study.id) }
        if user.isRewarded { return none(4, "Reward code was already generated") }
        guard study.rewards else { return none(2, "Reward codes are disabled") }
        guard now >= user.joined + 86_400_000 * study.rewardVisibleAfter else {
            return none(3, "Rewards are not accessible yet")
        }
        let fulfilled = study.questionnaires.map { questionnaire in
            let isTheirs = questionnaire.group == 0 || questionnaire.group == user.group
            let isEnough = user.counts[String(questionnaire.id)] ?? 0 >= questionnaire.minimum
            return JSONValue.Member(
                name: String(questionnaire.id), value: .boolean(!isTheirs || questionnaire.minimum == 0 || isEnough))
        }
        guard fulfilled.allSatisfy({ $0.value == .boolean(true) }) else {
            return none(3, "Not all conditions are fulfilled", fulfilled)
        }
        try tables.add(code: code, of: study.id, at: now)
        (user.isRewarded, user.token) = (true, now)
        try tables.save(user, of: study.id)
        return ESMiraRefusal.success(.members(["errorCode": .int(0), "code": .string(code)]))
    }

    private static func outdated(_ json: JSONValue) throws -> JSONValue? {
        try PHPValue.order(json["serverVersion"], .int(ESMiraRefusal.leastVersion)) < 0
            ? ESMiraRefusal.outdated.json : nil
    }

    // MARK: What a researcher does

    /// A message to one participant, or to all who have sent anything. Returns to how many.
    func send(_ content: String, to user: String?, of study: Int, at now: Instant) async throws -> Int {
        let milliseconds = Int(now.milliseconds)
        return try await archive.esmira { tables in
            let users = try user.map { [$0] } ?? tables.users(of: study).map(\.name)
            for user in users {
                try tables.add(
                    ESMiraMessage(user: user, sender: "lab", content: content, sent: milliseconds, state: .pending),
                    of: study)
            }
            return users.count
        }
    }
}
