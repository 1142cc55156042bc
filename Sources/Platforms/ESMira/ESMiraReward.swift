// SPDX-License-Identifier: Apache-2.0
import Base
import Study

extension ESMiraDecoder {
    /// The rules of `Study.getRewardAmount` of the app (ESMira-apps f750e58), and of
    /// `UserDataStore::generateRewardCode` of the server (ESMira-web 3.5.1); nil without
    /// `enableRewardSystem`.
    mutating func reward(_ questionnaires: [JSONPlace]) -> RewardTerms? {
        guard flag("enableRewardSystem", in: root) else { return nil }
        let isReckoned = flag("enableRewardCalculation", in: root)
        let amount = RewardTerms.Amount(
            base: decimal("rewardCalculationBase", in: root), most: decimal("rewardCalculationMax", in: root),
            currency: plain("rewardCalculationCurrency", in: root), note: plain("rewardCalculationInfo", in: root))
        return RewardTerms(
            afterDays: number("rewardVisibleAfterDays", 0...36_500, in: root, default: 0),
            instructions: plain("rewardInstructions", in: root), amount: isReckoned ? amount : nil,
            shares: questionnaires.map { place in
                RewardTerms.Share(
                    task: String(number("internalId", -1...Int(Int32.max), in: place, default: -1)),
                    least: number("minDataSetsForReward", 0...1_000_000, in: place, default: 0),
                    rate: decimal("rewardRate", in: place), most: decimal("rewardMax", in: place))
            })
    }

    func decimal(_ key: String, in place: JSONPlace) -> Double {
        switch place.member(key)?.node.content {
        case .number(let text), .string(let text): Double(text).flatMap { $0.isFinite ? $0 : nil } ?? 0
        default: 0
        }
    }
}

extension ESMiraServer {
    /// `reward.php`. The server makes a code once for each user and study, and
    /// never tells it again.
    func reward(_ known: KnownStudy) throws -> RewardAnswer {
        guard let own = known.study.own as? ESMiraStudy, let server = known.study.postURL else {
            throw PlatformServerError("this study was not enrolled from a server")
        }
        let body = JSONText.object(
            ESMiraWire.client(known.participant) + [.init("studyId", .integer(Int64(own.id)))])
        return try Self.reward(exchange(body, ESMiraWire.address(server, "reward")))
    }

    /// By the numbers of `NoRewardCodeException`.
    static func reward(_ answer: JSONNode) throws -> RewardAnswer {
        switch number(answer["errorCode"]) {
        case 0:
            guard case .string(let code)? = answer["code"]?.content, !code.isEmpty else {
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
            guard case .string(let words)? = answer["errorMessage"]?.content else {
                throw PlatformServerError("the server's answer contains neither a code nor a reason")
            }
            return .refused(String(words.prefix(500)))
        }
    }

    /// `statistics.php`.
    func figures(_ known: KnownStudy) throws -> [UInt8] {
        guard let own = known.study.own as? ESMiraStudy, let server = known.study.postURL else {
            throw PlatformServerError("this study was not enrolled from a server")
        }
        let url = ESMiraWire.address(server, "statistics") + "?id=\(own.id)&access_key=\(own.accessKey)"
        let body = try device.get(url)
        _ = try Self.dataset(body, from: url)
        return body
    }
}
