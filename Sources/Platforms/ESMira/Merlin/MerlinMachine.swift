// SPDX-License-Identifier: Apache-2.0

/// Runs one script once: a stack of values, and a store of the texts, lists and objects that were
/// made, which goes with the run.
struct MerlinMachine {
    let script: MerlinScript
    let host: any MerlinHost
    private let limits: MerlinLimits
    private var stepsLeft: Int
    private var memoryLeft: Int
    private(set) var texts: [String]
    var lists: [[MerlinCell]] = []
    var objects: [[(name: Int32, value: MerlinCell)]] = []
    var names: [String]
    var effects: [MerlinEffect] = []
    private var random: UInt64
    var stack: [MerlinCell]
    private var frames: [Frame] = []
    private var base = 0
    private var at = 0
    /// Within an `init` block, which sets only what is not there.
    private(set) var isInitialising = false

    /// Where a call goes on when it is over.
    private struct Frame {
        let at, base: Int
    }

    init(_ script: MerlinScript, _ host: any MerlinHost, seed: UInt64, limits: MerlinLimits) {
        self.script = script
        self.host = host
        self.limits = limits
        (stepsLeft, memoryLeft) = (limits.steps, limits.memory)
        (texts, names) = (script.texts, script.names)
        random = seed
        stack = [MerlinCell](repeating: .absent, count: script.functions[0].slots)
    }

    // MARK: the run

    mutating func run(_ globals: MerlinValue) -> MerlinRun {
        var problem: MerlinProblem?
        var result: (isTrue: Bool, text: String)?
        do throws(MerlinProblem) {
            stack[0] = .none
            stack[1] = try imported(globals, 0)
            try play()
            let value = stack.removeLast()
            result = (try isTrue(value), try text(value))
        } catch {
            problem = error
            problem?.variables = variables
        }
        var kept = globals
        do throws(MerlinProblem) {
            // Whoever assigned something else to the name has lost them.
            kept = if case .object = stack[1] { try exported(stack[1], 0) } else { .object([]) }
        } catch {
            if problem == nil { problem = error }
        }
        return MerlinRun(result: problem == nil ? result : nil, globals: kept, effects: effects, problem: problem)
    }

    private mutating func play() throws(MerlinProblem) {
        while true {
            let step = script.steps[at]
            at += 1
            stepsLeft -= 1
            if stepsLeft < 0 { throw tooLong }
            switch step.operation {
            case .constant: stack.append(script.constants[Int(step.operand)])
            case .load: stack.append(value(script.references[Int(step.operand)]))
            case .store: assign(stack.removeLast(), script.references[Int(step.operand)])
            case .enter: clear(script.scopes[Int(step.operand)])
            case .setResult: stack[base + script.scopes[Int(step.operand)].base] = stack.removeLast()
            case .result: stack.append(stack[base + script.scopes[Int(step.operand)].base])
            case .define: stack[base + script.scopes[Int(step.operand)].base + 1] = stack.removeLast()
            case .jump: at += Int(step.operand)
            case .jumpIfFalse: if try !isTrue(stack.removeLast()) { at += Int(step.operand) }
            case .or, .and: try shortCut(step)
            case .combineOr, .combineAnd: try combine(step.operation)
            case .minus, .not: stack[stack.count - 1] = try unary(step.operation, stack[stack.count - 1], 0)
            case .checkFunction:
                guard case .function = value(script.references[Int(step.operand)]) else { throw noFunction(step) }
            case .native: try native(step)
            case .call: try call(step)
            case .return: leave()
            case .defineFunction:
                let reference = script.references[Int(script.functions[Int(step.operand)].reference)]
                stack[base + Int(reference.places[0])] = .function(step.operand)
            case .initBegin: isInitialising = true
            case .initEnd: isInitialising = false
            case .forBegin:
                guard case .list? = stack.last else { throw wrong("'for' needs a list") }
                stack.append(.number(0))
            case .forNext: forNext(step)
            case .halt: return
            case .list, .object, .checkList, .element, .setElement, .field, .checkObject, .setField, .rangeBound,
                .range:
                try container(step)
            default:
                let right = stack.removeLast()
                let left = stack[stack.count - 1]
                stack[stack.count - 1] = try binary(step.operation, left, right, 0)
            }
        }
    }

    private func value(_ reference: MerlinReference) -> MerlinCell {
        for place in reference.places {
            let value = stack[place < 0 ? Int(~place) : base + Int(place)]
            if case .absent = value { continue }
            return value
        }
        return .none
    }

    /// To the innermost variable of this name, or a new one here; an `init` block sets only
    /// what was not there.
    private mutating func assign(_ value: MerlinCell, _ reference: MerlinReference) {
        for place in reference.places {
            let slot = place < 0 ? Int(~place) : base + Int(place)
            if case .absent = stack[slot] { continue }
            if !isInitialising { stack[slot] = value }
            return
        }
        stack[base + Int(reference.places[0])] = value
    }

    private mutating func clear(_ scope: MerlinScope) {
        let start = base + scope.base
        stack[start] = .none
        for slot in start + 1..<start + scope.count { stack[slot] = .absent }
    }

    private mutating func shortCut(_ step: MerlinStep) throws(MerlinProblem) {
        let left = stack[stack.count - 1]
        if case .list = left { return }
        if try isTrue(left) == (step.operation == .or) { at += Int(step.operand) }
    }

    private mutating func combine(_ operation: MerlinOperation) throws(MerlinProblem) {
        let right = stack.removeLast()
        let left = stack[stack.count - 1]
        guard case .list = left else {
            stack[stack.count - 1] = right
            return
        }
        stack[stack.count - 1] = try binary(operation, left, right, 0)
    }

    private mutating func forNext(_ step: MerlinStep) {
        guard case .number(let next) = stack[stack.count - 1], case .list(let list) = stack[stack.count - 2] else {
            return
        }
        let index = Int(next)
        guard index < lists[Int(list)].count else {
            stack.removeLast(2)
            at += Int(step.operand)
            return
        }
        stack[stack.count - 1] = .number(next + 1)
        stack.append(lists[Int(list)][index])
    }

    private mutating func call(_ step: MerlinStep) throws(MerlinProblem) {
        guard case .function(let number) = value(script.references[Int(step.operand)]) else { throw noFunction(step) }
        let function = script.functions[Int(number)]
        let count = Int(step.count)
        guard count == function.parameters.count else {
            throw wrong("the function needs \(function.parameters.count) arguments, and there are \(count)")
        }
        guard frames.count < limits.calls else {
            throw wrong("functions call each other more than \(limits.calls) deep")
        }
        try use(steps: function.slots)
        let arguments = stack.suffix(count)
        stack.removeLast(count)
        frames.append(Frame(at: at, base: base))
        base = stack.count
        stack.append(.none)
        for _ in 1..<max(1, function.slots) { stack.append(.absent) }
        for (slot, argument) in zip(function.parameters, arguments) { stack[base + slot] = argument }
        at = function.entry
    }

    private mutating func leave() {
        let result = stack.removeLast()
        stack.removeLast(stack.count - base)
        stack.append(result)
        guard let frame = frames.popLast() else { return }
        (at, base) = (frame.at, frame.base)
    }

    private mutating func native(_ step: MerlinStep) throws(MerlinProblem) {
        guard let native = MerlinNative(rawValue: UInt8(truncatingIfNeeded: step.operand)) else { return }
        let count = Int(step.count)
        guard count == native.arity else {
            throw wrong("'\(native)' needs \(native.arity) arguments, and there are \(count)")
        }
        let arguments = Array(stack.suffix(count))
        stack.removeLast(count)
        stack.append(try value(of: native, arguments))
    }

    // MARK: what is made on the way

    mutating func list(_ elements: [MerlinCell]) throws(MerlinProblem) -> MerlinCell {
        try use(steps: elements.count, memory: 32 + 16 * elements.count)
        lists.append(elements)
        return .list(Int32(lists.count - 1))
    }

    mutating func text(of value: String) throws(MerlinProblem) -> MerlinCell {
        try use(memory: 16)
        texts.append(value)
        return .text(Int32(texts.count - 1))
    }

    // MARK: limits and errors

    mutating func use(steps: Int = 0, memory: Int = 0) throws(MerlinProblem) {
        stepsLeft -= steps
        memoryLeft -= memory
        if stepsLeft < 0 { throw tooLong }
        if memoryLeft < 0 {
            throw wrong("the script makes more than \(limits.memory >> 20) MiB of texts and lists; it was stopped")
        }
    }

    private var tooLong: MerlinProblem {
        wrong("the script takes more than \(limits.steps) steps and was stopped; does it ever end?")
    }

    func wrong(_ message: String) -> MerlinProblem {
        MerlinProblem(.running, script.places[max(0, at - 1)], message)
    }

    private func noFunction(_ step: MerlinStep) -> MerlinProblem {
        let name = script.references[Int(step.operand)].name
        return wrong("there is no function '\(name.dropLast())' here")
    }

    /// The variables that are visible now, a line each.
    private var variables: String {
        var (lines, copy) = ([String](), self)
        for scope in script.scopes where scope.steps.contains(max(0, at - 1)) {
            let base = scope.function == 0 ? 0 : base
            for (name, slot) in scope.names.sorted(by: { $0.key < $1.key }) where !name.hasSuffix("(") {
                let value = stack[base + scope.base + slot]
                if case .absent = value { continue }
                copy.allowForMessages()
                lines.append("\(name): \(((try? copy.text(value)) ?? "…").prefix(200))")
            }
        }
        return lines.joined(separator: "\n")
    }

    private mutating func allowForMessages() { (stepsLeft, memoryLeft) = (10_000, 10_000) }

    func fieldsInOrder(_ object: Int) -> [(name: Int32, value: MerlinCell)] {
        MerlinFieldOrder.sorted(objects[object].map { (names[Int($0.name)], $0) })
    }

    var tooDeep: MerlinProblem {
        wrong("lists and objects are nested more than \(MerlinLimits.values) levels deep, or contain themselves")
    }

    /// Uniform below a bound.
    mutating func chance(below bound: UInt64) -> UInt64 {
        random &+= 0x9E37_79B9_7F4A_7C15
        var mixed = random
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return (mixed ^ mixed >> 31).multipliedFullWidth(by: bound).high
    }
}
