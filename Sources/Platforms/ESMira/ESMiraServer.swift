// SPDX-License-Identifier: Apache-2.0
import Base
import FoundationEssentials
import Study

/// A server of ESMira as an enrolment (`StudyFinder`) and a running study (`UpdateService`,
/// `ParticipantRequests`) need it. Blocks: call it on a separate thread.
struct ESMiraServer: StudyServer {
    let device: any PlatformDevice

    init(_ device: any PlatformDevice) { self.device = device }

    /// The app looks every hour.
    var newsInterval: Duration? { .seconds(3_600) }

    /// The study that the address and the key open; of several the one with the number in the
    /// address.
    func offer(_ request: JoinRequest) throws -> JoinOffer {
        guard var address = ESMiraAddress(request.source) else {
            throw PlatformServerError(
                "not the address of an ESMira study", at: request.source,
                remedy: "use https://SERVER/ with --access-key KEY, or the text of its QR code")
        }
        var options = try ESMiraOptions.choices(request.arguments)
        // With a separate key, a word at the end of the address is a folder of the server, not a key.
        if let key = options.accessKey, address.isPlain, !address.accessKey.isEmpty, address.accessKey != key,
            let folder = ESMiraAddress(request.source + "/")
        {
            address = folder
        }
        if options.accessKey == nil, !address.accessKey.isEmpty { options.accessKey = address.accessKey }
        options.serverAddress = address.server
        let studies = try studies(address, options)
        let study = try chosen(studies, address, options)
        let bytes = Array(study.value.text.utf8)
        return JoinOffer(
            bytes: StudyBundle.bytes([.init(name: "study.json", bytes: bytes)], options: options), platform: .esmira)
    }

    private func studies(_ address: ESMiraAddress, _ options: StudyOptions) throws -> [JSONNode] {
        let key = options.accessKey.map { "&access_key=\($0)" } ?? ""
        let query = "?lang=\(options.askedLanguage ?? "en")" + key
        let dataset: JSONNode
        do {
            dataset = try get(ESMiraWire.address(address.server, "studies") + query)
        } catch {
            // The fallback is asked only if no answer came: a refusal of the server counts.
            guard let fallback = address.fallback, !(error is PlatformServerError) else { throw error }
            dataset = try get(
                ESMiraWire.address(fallback, "studies_fallback") + query + "&fromUrl="
                    + PercentCode.encoded(Data(address.server.utf8).base64EncodedString()))
        }
        guard case .array(let studies) = dataset.content else {
            throw PlatformServerError("the server's answer is not a list of studies", at: address.server)
        }
        return studies
    }

    private func get(_ url: String) throws -> JSONNode { try Self.dataset(try device.get(url), from: url) }

    static func dataset(_ body: [UInt8], from url: String) throws -> JSONNode {
        switch ESMiraAnswer(body) {
        case .dataset(let dataset): return dataset
        case .unreadable(let why): throw PlatformServerError(why, at: url)
        case .failed(let error):
            throw PlatformServerError(error.contains("outdated") ? ESMiraAnswer.outdated(error) : error, at: url)
        }
    }

    private func chosen(
        _ studies: [JSONNode], _ address: ESMiraAddress, _ options: StudyOptions
    ) throws -> JSONNode {
        let found = studies.filter { study in
            if let id = address.study { return Self.number(study["id"]) == id }
            guard let id = address.questionnaire else { return true }
            guard let questionnaires = study["questionnaires"]?.array else { return false }
            return questionnaires.contains { Self.number($0["internalId"]) == id }
        }
        guard let study = found.first else {
            let key = options.accessKey.map { "the access key \($0)" } ?? "no access key"
            guard !studies.isEmpty else {
                throw PlatformServerError(
                    options.accessKey == nil ? "no study is open without a key" : "\(key) opens no study there",
                    at: address.server,
                    remedy: options.accessKey == nil
                        ? "add --access-key KEY, of the study's QR code or invitation"
                        : "check key and address with the study team")
            }
            throw PlatformServerError(
                "none of the studies opened by \(key) has that number: \(Self.list(studies))", at: address.server,
                remedy: "write the number of one of them in the address")
        }
        guard found.count == 1 else {
            throw PlatformServerError(
                "this opens several studies: \(Self.list(found))", at: address.server,
                remedy: "add the number of one to the address, e.g. \(address.server)\(Self.number(study["id"]) ?? 0)"
                    + (options.accessKey.map { "-" + $0 } ?? ""))
        }
        return study
    }

    private static func list(_ studies: [JSONNode]) -> String {
        studies.prefix(20).map { study in
            let title = if let text = study["title"]?.text { PlainText(html: text).text } else { "" }
            return "\(number(study["id"]) ?? 0) \"\(title.prefix(80))\""
        }.joined(separator: ", ")
    }

    static func number(_ node: JSONNode?) -> Int? {
        switch node?.content {
        case .number(let text): Int(text)
        case .string(let text): Int(text)
        default: nil
        }
    }

    // MARK: - While the study runs

    func reasonForNoNews(from source: String) -> String? {
        ESMiraAddress(source) == nil ? "this study was not enrolled from a server" : nil
    }

    /// Asks `update.php` for a new version and messages. The server gives each message only once, so
    /// messages are kept even if the rest of the answer is faulty.
    func news(since known: KnownStudy) -> ServerUpdate {
        var news = ServerUpdate()
        do {
            // Of an ESMira study `postURL` is its server's address.
            guard let study = ESMiraStudy(known), let server = known.study.postURL else { return news }
            let version = known.version.flatMap { Int64($0) } ?? Int64(study.version)
            let asked: [JSONText.Member] = [
                .init("version", .integer(version)),
                .init("msgTimestamp", .integer(known.messages.compactMap { Int64($0) }.max() ?? 0)),
                .init("accessKey", .string(study.accessKey)), .init("lang", .string(study.language)),
                .init("forceStudyUpdate", .boolean(false)),
            ]
            let url = ESMiraWire.address(server, "update") + study.languageQuery
            let dataset = JSONText.object([.init(String(study.id), .object(asked))])
            let answer = try exchange([.init("dataset", dataset)], with: url, for: known)
            try read(answer[String(study.id)], known, from: server, &news)
            // Only a newer version is sent, so the refused one is no longer there.
            if known.refused != nil, news.version == nil { news.version = .init(String(version), bytes: known.bytes) }
        } catch {
            news.faults.append("\(error)")
        }
        return news
    }

    /// A request by POST, and the dataset of its answer.
    private func exchange(
        _ members: [JSONText.Member], with url: String, for known: KnownStudy
    ) throws -> JSONNode {
        let answer = try device.send(ESMiraWire.post(members, by: known.participant, to: url))
        return try Self.dataset(answer.body, from: url)
    }

    private func read(
        _ answer: JSONNode?, _ known: KnownStudy, from server: String, _ news: inout ServerUpdate
    ) throws {
        guard let answer else { return }
        if let messages = answer["msgs"]?.array {
            news.messages = messages.prefix(1_000).compactMap(Self.message).filter { !known.messages.contains($0.id) }
        }
        if let code = answer["errorCode"]?.text {
            throw PlatformServerError(
                "the server says \(code): the study's access key was changed; answers are kept", at: server,
                remedy: "have the study team add the old key again, then run 'studyd outbox resend --refused'")
        }
        guard let study = answer["study"], let version = Self.number(study["version"]) else { return }
        let bytes = Array(study.value.text.utf8)
        let options = StudyBundle.source(known.bytes)?.options ?? StudyOptions()
        news.version = ServerUpdate.Version(
            String(version), bytes: StudyBundle.bytes([.init(name: "study.json", bytes: bytes)], options: options))
    }

    private static func message(_ node: JSONNode) -> StudyMessage? {
        guard let sent = number(node["sent"]), let content = node["content"]?.text else { return nil }
        return StudyMessage(
            id: String(sent), title: "", text: PlainText(html: String(content.prefix(2_000))).text,
            date: Instant(milliseconds: Int64(sent)))
    }

    // MARK: - Reward and charts

    /// Asks `reward.php`. The server makes one code for each user and study, and gives it out only once.
    func reward(_ known: KnownStudy) throws -> RewardAnswer {
        guard let study = ESMiraStudy(known), let server = known.study.postURL else {
            throw PlatformServerError("this study was not enrolled from a server")
        }
        let asked = [JSONText.Member("studyId", .integer(Int64(study.id)))]
        return try Self.reward(exchange(asked, with: ESMiraWire.address(server, "reward"), for: known))
    }

    /// The meaning of the answer, by the error numbers of the server's `NoRewardCodeException`; 0 = a code.
    static func reward(_ answer: JSONNode) throws -> RewardAnswer {
        switch number(answer["errorCode"]) {
        case 0:
            guard let code = answer["code"]?.text, !code.isEmpty else {
                throw PlatformServerError("the server's answer contains no code")
            }
            return .code(code)
        case 3:
            guard case .object(let members)? = answer["fulfilledQuestionnaires"]?.content else { return .notYet([]) }
            let missing = members.filter { if case .boolean(false) = $0.value.content { true } else { false } }
            return .notYet(Set(missing.map(\.key)))
        case 4:
            return .refused(
                "the server has already given out the code, which it does only once: ask the study team for it")
        case 2: return .refused("the study does not give out reward codes, or no longer")
        case 1: return .refused("the server does not know this participant: nothing has been sent yet")
        default:
            guard let words = answer["errorMessage"]?.text else {
                throw PlatformServerError("the server's answer contains neither a code nor a reason")
            }
            return .refused(String(words.prefix(500)))
        }
    }

    /// The raw answer of `statistics.php`; `ESMiraDrawings` reads it.
    func publicChartData(_ known: KnownStudy) throws -> [UInt8] {
        guard let study = ESMiraStudy(known), let server = known.study.postURL else {
            throw PlatformServerError("this study was not enrolled from a server")
        }
        let key = PercentCode.encoded(study.accessKey)
        let url = ESMiraWire.address(server, "statistics") + "?id=\(study.id)&access_key=\(key)"
        let body = try device.get(url)
        _ = try Self.dataset(body, from: url)
        return body
    }
}
