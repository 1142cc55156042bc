// SPDX-License-Identifier: Apache-2.0
import Study

/// The functions that every script has; `MerlinMachine` calls `value` for each use. They look at the
/// questionnaire (`MerlinHost`) and only note what the script wants done (`effects`); it is done after the run.
struct MerlinLibrary {
    private let host: any MerlinHost
    private(set) var effects: [MerlinEffect] = []
    private var random: SplitMix64

    init(_ host: any MerlinHost, seed: UInt64) {
        self.host = host
        random = SplitMix64(seed: seed)
    }

    /// There are `native.arity` arguments, which the machine has checked.
    mutating func value(
        of native: MerlinNative, _ arguments: [MerlinCell], _ heap: inout MerlinHeap
    ) throws(MerlinProblem) -> MerlinCell {
        switch native {
        case .getQuestionnaireVar: return try eachText(arguments[0], &heap, answer)
        case .getQuestionnaireVarAlternative: return try addition(arguments[0], arguments[1], &heap)
        case .setVirtualItem: return try setVirtualItem(arguments[0], arguments[1], &heap)
        case .day: return host.day < 0 ? .none : .number(Double(host.day))
        // Unix time of the last midnight, not the time since then: so does the app, and
        // researchers' scripts rely on it.
        case .seconds: return .number(Double(host.midnight / 1_000))
        case .minutes: return .number(Double(host.midnight / 60_000))
        case .hours: return .number(Double(host.midnight / 3_600_000))
        case .timestamp: return .number(Double(host.now / 1_000))
        case .triggerQuestionnaire: return try triggerQuestionnaire(arguments, &heap)
        case .triggerNotification: return try note(.notification(try heap.text(arguments[0])), &heap)
        case .triggerMessage: return try note(.message(try heap.text(arguments[0])), &heap)
        case .log:
            _ = try note(.log(try heap.text(arguments[0])), &heap)
            return .none
        case .reverse: return try reverse(arguments, &heap)
        case .sum, .mean, .max, .min, .var, .sd: return try summary(native, arguments[0], &heap)
        case .floor: return try heap.number(arguments[0]).map { .number($0.rounded(.down)) } ?? arguments[0]
        case .ceil: return try heap.number(arguments[0]).map { .number($0.rounded(.up)) } ?? arguments[0]
        case .round: return try round(arguments[0], arguments[1], &heap)
        case .any: return try any(arguments[0], &heap)
        case .size: return .number(Double(size(arguments[0], heap)))
        case .filterNone: return try filterNone(arguments[0], &heap)
        case .shuffle: return try shuffle(arguments[0], &heap)
        case .random: return try random(arguments[0], arguments[1], &heap)
        case .lang: return try heap.text(of: host.language)
        }
    }

    // MARK: the questionnaire

    /// Calls `find` for one name, or for each name of a list.
    private func eachText(
        _ value: MerlinCell, _ heap: inout MerlinHeap,
        _ find: (String, inout MerlinHeap) throws(MerlinProblem) -> MerlinCell
    ) throws(MerlinProblem) -> MerlinCell {
        guard case .list = value else { return try find(try heap.text(value), &heap) }
        var found: [MerlinCell] = []
        for name in heap.elements(value) { found.append(try find(try heap.text(name), &heap)) }
        return try heap.list(found)
    }

    private func answer(_ name: String, _ heap: inout MerlinHeap) throws(MerlinProblem) -> MerlinCell {
        if let fact = MerlinFact(rawValue: name) {
            switch host.fact(fact) {
            case .number(let number): return .number(number)
            case .text(let text): return try kept(text, &heap)
            default: break
            }
        }
        guard let answer = host.answer(name), !answer.isEmpty else { return .none }
        return try kept(answer, &heap)
    }

    private func addition(
        _ item: MerlinCell, _ key: MerlinCell, _ heap: inout MerlinHeap
    ) throws(MerlinProblem) -> MerlinCell {
        let item = try heap.text(item)
        guard host.answer(item) != nil else { return .none }
        return try eachText(key, &heap) { (key, heap) throws(MerlinProblem) in
            guard let found = host.addition(item, key) else { return .none }
            return try kept(found, &heap)
        }
    }

    /// A text of the questionnaire on the heap, counted by its length.
    private func kept(_ text: String, _ heap: inout MerlinHeap) throws(MerlinProblem) -> MerlinCell {
        try heap.use(memory: text.utf8.count)
        return try heap.text(of: text)
    }

    private mutating func setVirtualItem(_ name: MerlinCell, _ value: MerlinCell, _ heap: inout MerlinHeap)
        throws(MerlinProblem) -> MerlinCell
    {
        let (name, value) = (try heap.text(name), try heap.text(value))
        guard host.hasVirtualItem(name) else { return .number(0) }
        return try note(.virtualItem(name: name, value: value), &heap)
    }

    private mutating func triggerQuestionnaire(_ arguments: [MerlinCell], _ heap: inout MerlinHeap)
        throws(MerlinProblem) -> MerlinCell
    {
        guard let number = try heap.number(arguments[0]), let id = Int(exactly: number.rounded(.towardZero)),
            let isFillable = host.isFillable(internalID: id)
        else { return .number(0) }
        let message = try heap.text(arguments[1])
        let timeout = try heap.number(arguments[2]).map(MerlinNumber.int) ?? 0
        _ = try note(
            .questionnaire(internalID: id, message: message, timeoutMinutes: timeout, isShown: isFillable), &heap)
        return .truth(isFillable)
    }

    /// Returns 1, the script's "done".
    private mutating func note(_ effect: MerlinEffect, _ heap: inout MerlinHeap) throws(MerlinProblem) -> MerlinCell {
        try heap.use(memory: 64)
        effects.append(effect)
        return .number(1)
    }

    // MARK: numbers

    /// Mirrors answers on a scale from the second argument to the third: `value` becomes `least + most - value`.
    private func reverse(_ arguments: [MerlinCell], _ heap: inout MerlinHeap) throws(MerlinProblem) -> MerlinCell {
        guard let least = try heap.number(arguments[1]), let most = try heap.number(arguments[2]) else {
            return arguments[0]
        }
        guard case .list = arguments[0] else { return try turned(arguments[0], most + least, &heap) }
        var turned: [MerlinCell] = []
        for value in heap.elements(arguments[0]) { turned.append(try self.turned(value, most + least, &heap)) }
        return try heap.list(turned)
    }

    private func turned(_ value: MerlinCell, _ sum: Double, _ heap: inout MerlinHeap) throws(MerlinProblem)
        -> MerlinCell
    {
        try heap.number(value).map { .number(sum - $0) } ?? value
    }

    /// A value that is not a list is returned as it is; a list with anything but numbers gives none.
    private func summary(_ native: MerlinNative, _ value: MerlinCell, _ heap: inout MerlinHeap) throws(MerlinProblem)
        -> MerlinCell
    {
        guard case .list = value else { return value }
        var numbers: [Double] = []
        for element in heap.elements(value) {
            try heap.use(steps: 1)
            guard let number = try heap.number(element) else { return .none }
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

    /// Copies the app's fault: it multiplies where it should divide, so only 0 digits round correctly.
    private func round(_ value: MerlinCell, _ digits: MerlinCell, _ heap: inout MerlinHeap) throws(MerlinProblem)
        -> MerlinCell
    {
        let digits = try heap.number(digits).map { Swift.max(0, MerlinNumber.int($0)) } ?? 0
        guard let number = try heap.number(value) else { return value }
        var factor = 1.0
        for _ in 0..<Swift.min(digits, 309) { factor *= 10 }
        let scaled = number * factor
        if scaled.isNaN { throw heap.wrong("'round' needs a number") }
        let below = scaled.rounded(.down)
        return .number(Double(MerlinNumber.int(scaled - below >= 0.5 ? below + 1 : below)) * factor)
    }

    private mutating func random(_ from: MerlinCell, _ to: MerlinCell, _ heap: inout MerlinHeap) throws(MerlinProblem)
        -> MerlinCell
    {
        guard let from = try heap.number(from).map(MerlinNumber.int), let to = try heap.number(to).map(MerlinNumber.int)
        else {
            return .none
        }
        guard from <= to else { throw heap.wrong("'random' needs a first number that is not above the second") }
        return .number(Double(from + Int(chance(below: UInt64(to - from + 1)))))
    }

    // MARK: lists

    private func any(_ value: MerlinCell, _ heap: inout MerlinHeap) throws(MerlinProblem) -> MerlinCell {
        guard case .list = value else { return value }
        var found = false
        for element in heap.elements(value) {
            try heap.use(steps: 1)
            if try heap.isTrue(element) { found = true }
        }
        return .truth(found)
    }

    private func size(_ value: MerlinCell, _ heap: MerlinHeap) -> Int {
        switch value {
        case .absent, .none: 0
        case .list(let list): heap.count(ofList: list)
        case .object(let object): heap.count(ofObject: object)
        default: 1
        }
    }

    private func filterNone(_ value: MerlinCell, _ heap: inout MerlinHeap) throws(MerlinProblem) -> MerlinCell {
        guard case .list(let list) = value else { return value }
        try heap.use(steps: heap.count(ofList: list))
        return try heap.list(heap.elements(value).filter { if case .none = $0 { false } else { true } })
    }

    private mutating func shuffle(_ value: MerlinCell, _ heap: inout MerlinHeap) throws(MerlinProblem) -> MerlinCell {
        guard case .list = value else { return value }
        var shuffled = heap.elements(value)
        for place in shuffled.indices.reversed().dropLast() {
            shuffled.swapAt(place, Int(chance(below: UInt64(place + 1))))
        }
        return try heap.list(shuffled)
    }

    /// Uniform below a bound.
    private mutating func chance(below bound: UInt64) -> UInt64 {
        random.next().multipliedFullWidth(by: bound).high
    }
}
