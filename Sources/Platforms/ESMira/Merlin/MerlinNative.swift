// SPDX-License-Identifier: Apache-2.0

/// The functions that every script has, by their names. A script's own function of such a name
/// is never called.
enum MerlinNative: UInt8, CaseIterable {
    case getQuestionnaireVar, getQuestionnaireVarAlternative, setVirtualItem
    case day, seconds, minutes, hours, timestamp
    case triggerQuestionnaire, triggerNotification, triggerMessage, log
    case reverse, sum, mean, max, min, `var`, sd, floor, ceil, round
    case any, size, filterNone, shuffle, random, lang

    static let named = Dictionary(allCases.map { ("\($0)", $0) }) { first, _ in first }

    var arity: Int {
        switch self {
        case .day, .seconds, .minutes, .hours, .timestamp, .lang: 0
        case .getQuestionnaireVarAlternative, .setVirtualItem, .round, .random: 2
        case .triggerQuestionnaire, .reverse: 3
        default: 1
        }
    }
}

extension MerlinMachine {
    /// The arguments are as many as the function has.
    mutating func value(of native: MerlinNative, _ arguments: [MerlinCell]) throws(MerlinProblem) -> MerlinCell {
        switch native {
        case .getQuestionnaireVar: return try eachText(arguments[0], Self.answer)
        case .getQuestionnaireVarAlternative: return try addition(arguments[0], arguments[1])
        case .setVirtualItem: return try setVirtualItem(arguments[0], arguments[1])
        case .day: return host.day < 0 ? .none : .number(Double(host.day))
        // The app reckons from the last midnight, not to it, and researchers' scripts were
        // written with that.
        case .seconds: return .number(Double(host.midnight / 1_000))
        case .minutes: return .number(Double(host.midnight / 60_000))
        case .hours: return .number(Double(host.midnight / 3_600_000))
        case .timestamp: return .number(Double(host.now / 1_000))
        case .triggerQuestionnaire: return try triggerQuestionnaire(arguments)
        case .triggerNotification: return try act(.notification(try text(arguments[0])))
        case .triggerMessage: return try act(.message(try text(arguments[0])))
        case .log:
            _ = try act(.log(try text(arguments[0])))
            return .none
        case .reverse: return try reverse(arguments)
        case .sum, .mean, .max, .min, .var, .sd: return try summary(native, arguments[0])
        case .floor: return try number(arguments[0]).map { .number($0.rounded(.down)) } ?? arguments[0]
        case .ceil: return try number(arguments[0]).map { .number($0.rounded(.up)) } ?? arguments[0]
        case .round: return try round(arguments[0], arguments[1])
        case .any: return try any(arguments[0])
        case .size: return .number(Double(size(arguments[0])))
        case .filterNone: return try filterNone(arguments[0])
        case .shuffle: return try shuffle(arguments[0])
        case .random: return try random(arguments[0], arguments[1])
        case .lang: return try text(of: host.language)
        }
    }

    // MARK: the questionnaire

    /// Of one name, or of each in a list.
    private mutating func eachText(
        _ value: MerlinCell, _ find: (inout MerlinMachine, String) throws(MerlinProblem) -> MerlinCell
    ) throws(MerlinProblem) -> MerlinCell {
        guard case .list = value else { return try find(&self, try text(value)) }
        var found: [MerlinCell] = []
        for name in elements(value) { found.append(try find(&self, try text(name))) }
        return try list(found)
    }

    private static func answer(_ machine: inout MerlinMachine, _ name: String) throws(MerlinProblem) -> MerlinCell {
        if let fact = MerlinFact(rawValue: name) {
            switch machine.host.fact(fact) {
            case .number(let number): return .number(number)
            case .text(let text): return try machine.kept(text)
            default: break
            }
        }
        guard let answer = machine.host.answer(name), !answer.isEmpty else { return .none }
        return try machine.kept(answer)
    }

    private mutating func addition(_ item: MerlinCell, _ key: MerlinCell) throws(MerlinProblem) -> MerlinCell {
        let item = try text(item)
        guard host.answer(item) != nil else { return .none }
        return try eachText(key) { (machine, key) throws(MerlinProblem) in
            guard let found = machine.host.addition(item, key) else { return .none }
            return try machine.kept(found)
        }
    }

    private mutating func kept(_ text: String) throws(MerlinProblem) -> MerlinCell {
        try use(memory: text.utf8.count)
        return try self.text(of: text)
    }

    private mutating func setVirtualItem(_ name: MerlinCell, _ value: MerlinCell) throws(MerlinProblem) -> MerlinCell {
        let (name, value) = (try text(name), try text(value))
        guard host.hasVirtualItem(name) else { return .number(0) }
        return try act(.virtualItem(name: name, value: value))
    }

    private mutating func triggerQuestionnaire(_ arguments: [MerlinCell]) throws(MerlinProblem) -> MerlinCell {
        guard let number = try number(arguments[0]), let id = Int(exactly: number.rounded(.towardZero)),
            let isFillable = host.isFillable(internalID: id)
        else { return .number(0) }
        let message = try text(arguments[1])
        let timeout = try self.number(arguments[2]).map(MerlinNumber.int) ?? 0
        _ = try act(.questionnaire(internalID: id, message: message, timeoutMinutes: timeout, isShown: isFillable))
        return .truth(isFillable)
    }

    private mutating func act(_ effect: MerlinEffect) throws(MerlinProblem) -> MerlinCell {
        try use(memory: 64)
        effects.append(effect)
        return .number(1)
    }

    // MARK: numbers

    private mutating func reverse(_ arguments: [MerlinCell]) throws(MerlinProblem) -> MerlinCell {
        guard let least = try number(arguments[1]), let most = try number(arguments[2]) else { return arguments[0] }
        guard case .list = arguments[0] else { return try turned(arguments[0], most + least) }
        var turned: [MerlinCell] = []
        for value in elements(arguments[0]) { turned.append(try self.turned(value, most + least)) }
        return try list(turned)
    }

    private mutating func turned(_ value: MerlinCell, _ sum: Double) throws(MerlinProblem) -> MerlinCell {
        try number(value).map { .number(sum - $0) } ?? value
    }

    /// Of a list of numbers; what is no list is its own summary, and none comes of a list with
    /// anything else in it.
    private mutating func summary(_ native: MerlinNative, _ value: MerlinCell) throws(MerlinProblem) -> MerlinCell {
        guard case .list = value else { return value }
        var numbers: [Double] = []
        for element in elements(value) {
            try use(steps: 1)
            guard let number = try number(element) else { return .none }
            numbers.append(number)
        }
        guard let first = numbers.first else { return .none }
        let sum = numbers.dropFirst().reduce(first, +)
        switch native {
        case .sum: return .number(sum)
        case .mean: return .number(sum / Double(numbers.count))
        case .max: return .number(numbers.contains { $0.isNaN } ? .nan : numbers.max() ?? first)
        case .min: return .number(numbers.contains { $0.isNaN } ? .nan : numbers.min() ?? first)
        default: break
        }
        guard numbers.count > 1 else { return .none }
        let mean = sum / Double(numbers.count)
        let squares = numbers.map { ($0 - mean) * ($0 - mean) }
        let variance = squares.dropFirst().reduce(squares[0], +) / Double(numbers.count - 1)
        return .number(native == .var ? variance : variance.squareRoot())
    }

    /// As the app does: it multiplies where it should divide, so only 0 digits round well.
    private mutating func round(_ value: MerlinCell, _ digits: MerlinCell) throws(MerlinProblem) -> MerlinCell {
        let digits = try number(digits).map { Swift.max(0, MerlinNumber.int($0)) } ?? 0
        guard let number = try number(value) else { return value }
        var factor = 1.0
        for _ in 0..<Swift.min(digits, 309) { factor *= 10 }
        let scaled = number * factor
        if scaled.isNaN { throw wrong("'round' needs a number") }
        let below = scaled.rounded(.down)
        return .number(Double(MerlinNumber.int(scaled - below >= 0.5 ? below + 1 : below)) * factor)
    }

    private mutating func random(_ from: MerlinCell, _ to: MerlinCell) throws(MerlinProblem) -> MerlinCell {
        guard let from = try number(from).map(MerlinNumber.int), let to = try number(to).map(MerlinNumber.int) else {
            return .none
        }
        guard from <= to else { throw wrong("'random' needs a first number that is not above the second") }
        return .number(Double(from + Int(chance(below: UInt64(to - from + 1)))))
    }

    // MARK: lists

    private mutating func any(_ value: MerlinCell) throws(MerlinProblem) -> MerlinCell {
        guard case .list = value else { return value }
        var found = false
        for element in elements(value) {
            try use(steps: 1)
            if try isTrue(element) { found = true }
        }
        return .truth(found)
    }

    private func size(_ value: MerlinCell) -> Int {
        switch value {
        case .absent, .none: 0
        case .list(let list): lists[Int(list)].count
        case .object(let object): objects[Int(object)].count
        default: 1
        }
    }

    private mutating func filterNone(_ value: MerlinCell) throws(MerlinProblem) -> MerlinCell {
        guard case .list = value else { return value }
        return try list(elements(value).filter { if case .none = $0 { false } else { true } })
    }

    private mutating func shuffle(_ value: MerlinCell) throws(MerlinProblem) -> MerlinCell {
        guard case .list = value else { return value }
        var shuffled = elements(value)
        for place in shuffled.indices.reversed().dropLast() {
            shuffled.swapAt(place, Int(chance(below: UInt64(place + 1))))
        }
        return try list(shuffled)
    }
}
