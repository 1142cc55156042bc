// SPDX-License-Identifier: Apache-2.0

/// Runs one script once, for `MerlinScript.run`: a stack of values, a heap of the texts, lists and objects that
/// are made, and the functions that every script has.
///
/// A scope's slots are its value, then its variables; the first variable of the script's own scope, which
/// begins the stack, is `globals` (`MerlinCompiler.script`): it is always `stack[1]`.
struct MerlinMachine {
    private let code: MerlinCode
    private let deepestCall: Int
    private var heap: MerlinHeap
    private var library: MerlinLibrary
    private var stack: [MerlinCell]
    private var frames: [Frame] = []
    /// Where the frame of the running function begins in `stack`.
    private var base = 0
    /// Index of the next step.
    private var at = 0
    /// Within an `init` block, which sets only what has no value yet.
    private var isInitialising = false

    /// Where the caller goes on.
    private struct Frame {
        let at, base: Int
    }

    init(_ code: MerlinCode, _ host: any MerlinHost, seed: UInt64, limits: MerlinLimits) {
        self.code = code
        deepestCall = limits.calls
        heap = MerlinHeap(code, limits)
        library = MerlinLibrary(host, seed: seed)
        stack = [MerlinCell](repeating: .absent, count: code.functions[0].slots)
    }

    // MARK: the run

    /// Call once. After a failure `globals` keeps what was set before it.
    mutating func run(_ globals: MerlinValue) -> MerlinRun {
        var problem: MerlinProblem?
        var result: (isTrue: Bool, text: String)?
        do throws(MerlinProblem) {
            stack[1] = try heap.imported(globals)
            try runSteps()
            let value = stack.removeLast()
            result = (try heap.isTrue(value), try heap.text(value))
        } catch {
            problem = located(error)
            problem?.variables = variables
        }
        var kept = globals
        do throws(MerlinProblem) {
            // A script that assigned anything but an object to `globals` has lost them.
            kept = if case .object = stack[1] { try heap.exported(stack[1]) } else { .object([]) }
        } catch {
            if problem == nil { problem = located(error) }
        }
        return MerlinRun(
            result: problem == nil ? result : nil, globals: kept, effects: library.effects, problem: problem)
    }

    private mutating func runSteps() throws(MerlinProblem) {
        while true {
            let step = code.steps[at]
            at += 1
            try heap.step()
            switch step.operation {
            case .constant: stack.append(code.constants[Int(step.operand)])
            case .load: stack.append(value(code.references[Int(step.operand)]))
            case .store: assign(stack.removeLast(), code.references[Int(step.operand)])
            case .enter: clear(code.scopes[Int(step.operand)])
            case .setResult: stack[base + code.scopes[Int(step.operand)].base] = stack.removeLast()
            case .result: stack.append(stack[base + code.scopes[Int(step.operand)].base])
            case .define: stack[base + code.scopes[Int(step.operand)].base + 1] = stack.removeLast()
            case .jump: at += Int(step.operand)
            case .jumpIfFalse: if try !heap.isTrue(stack.removeLast()) { at += Int(step.operand) }
            case .or, .and: try shortCut(step)
            case .combineOr, .combineAnd: try combine(step.operation)
            case .minus, .not: stack[stack.count - 1] = try heap.unary(step.operation, stack[stack.count - 1])
            case .checkFunction:
                guard case .function = value(code.references[Int(step.operand)]) else { throw noFunction(step) }
            case .native: try native(step)
            case .call: try call(step)
            case .return: leave()
            case .defineFunction:
                let reference = code.references[Int(code.functions[Int(step.operand)].reference)]
                stack[base + Int(reference.slots[0])] = .function(step.operand)
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
                // The operators between two values.
                let right = stack.removeLast()
                let left = stack[stack.count - 1]
                stack[stack.count - 1] = try heap.binary(step.operation, left, right)
            }
        }
    }

    /// The value of the innermost variable of this name that was assigned; none = there is none. A slot
    /// below 0 is in the script's own frame.
    private func value(_ reference: MerlinReference) -> MerlinCell {
        for slot in reference.slots {
            let value = stack[slot < 0 ? Int(~slot) : base + Int(slot)]
            if case .absent = value { continue }
            return value
        }
        return .none
    }

    /// Assigns to the innermost variable of this name, or makes a new one in the current scope; an `init`
    /// block changes no variable that has a value.
    private mutating func assign(_ value: MerlinCell, _ reference: MerlinReference) {
        for number in reference.slots {
            let slot = number < 0 ? Int(~number) : base + Int(number)
            if case .absent = stack[slot] { continue }
            if !isInitialising { stack[slot] = value }
            return
        }
        stack[base + Int(reference.slots[0])] = value
    }

    /// Begins a scope: its value is none, its variables are unassigned.
    private mutating func clear(_ scope: MerlinScope) {
        let start = base + scope.base
        stack[start] = .none
        for slot in start + 1..<start + scope.count { stack[slot] = .absent }
    }

    private mutating func shortCut(_ step: MerlinStep) throws(MerlinProblem) {
        let left = stack[stack.count - 1]
        if case .list = left { return }
        if try heap.isTrue(left) == (step.operation == .or) { at += Int(step.operand) }
    }

    private mutating func combine(_ operation: MerlinOperation) throws(MerlinProblem) {
        let right = stack.removeLast()
        let left = stack[stack.count - 1]
        guard case .list = left else {
            stack[stack.count - 1] = right
            return
        }
        stack[stack.count - 1] = try heap.binary(operation, left, right)
    }

    /// `forBegin` has left the list and the position in it on the stack.
    private mutating func forNext(_ step: MerlinStep) {
        guard case .number(let next) = stack[stack.count - 1], case .list(let list) = stack[stack.count - 2] else {
            return
        }
        let index = Int(next)
        guard index < heap.count(ofList: list) else {
            stack.removeLast(2)
            at += Int(step.operand)
            return
        }
        stack[stack.count - 1] = .number(next + 1)
        stack.append(heap.element(index, ofList: list))
    }

    private mutating func call(_ step: MerlinStep) throws(MerlinProblem) {
        guard case .function(let number) = value(code.references[Int(step.operand)]) else { throw noFunction(step) }
        let function = code.functions[Int(number)]
        let count = Int(step.count)
        guard count == function.parameters.count else {
            throw wrong("the function needs \(function.parameters.count) arguments, and there are \(count)")
        }
        guard frames.count < deepestCall else {
            throw wrong("functions call each other more than \(deepestCall) deep")
        }
        try heap.use(steps: function.slots)
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
        stack.append(try library.value(of: native, arguments, &heap))
    }

    // MARK: errors

    /// The error, with the place of the step that failed.
    private func located(_ error: MerlinProblem) -> MerlinProblem {
        var problem = error
        problem.place = code.places[max(0, at - 1)]
        return problem
    }

    private func wrong(_ message: String) -> MerlinProblem { heap.wrong(message) }

    private func noFunction(_ step: MerlinStep) -> MerlinProblem {
        let name = code.references[Int(step.operand)].name
        return wrong("there is no function '\(name.dropLast())' here")
    }

    /// The variables that are visible now, a line each.
    private var variables: String {
        var (lines, heap) = ([String](), heap)
        for scope in code.scopes where scope.steps.contains(max(0, at - 1)) {
            let base = scope.function == 0 ? 0 : base
            for (name, slot) in scope.names.sorted(by: { $0.key < $1.key }) where !name.hasSuffix("(") {
                let value = stack[base + scope.base + slot]
                if case .absent = value { continue }
                heap.allowForMessages()
                lines.append("\(name): \(((try? heap.text(value)) ?? "…").prefix(200))")
            }
        }
        return lines.joined(separator: "\n")
    }

    // MARK: lists and objects

    private mutating func container(_ step: MerlinStep) throws(MerlinProblem) {
        switch step.operation {
        case .list:
            let elements = Array(stack.suffix(Int(step.operand)))
            stack.removeLast(elements.count)
            stack.append(try heap.list(elements))
        case .object:
            stack.append(try heap.object())
        case .checkList:
            guard case .list? = stack.last else { throw wrong("'[' needs a list before it") }
        case .checkObject:
            guard case .object? = stack.last else { throw wrong("only an object has fields that can be set") }
        case .element:
            let index = stack.removeLast()
            guard case .list(let list)? = stack.popLast() else { return }
            stack.append(try heap.element(of: Int(list), index))
        case .setElement:
            let value = stack.removeLast()
            let index = stack.removeLast()
            guard case .list(let list)? = stack.popLast() else { return }
            if !isInitialising { try heap.set(value, at: index, of: Int(list)) }
        case .field:
            guard case .object(let object)? = stack.popLast() else { throw wrong("only an object has fields") }
            stack.append(heap.field(step.operand, ofObject: object))
        case .setField:
            let value = stack.removeLast()
            guard case .object(let object)? = stack.popLast() else { return }
            try heap.set(value, field: step.operand, of: Int(object), keeps: isInitialising)
        case .rangeBound:
            guard let number = try heap.number(stack.removeLast()) else {
                throw wrong("the \(["start", "end", "step"][Int(step.operand)]) of a range must be a number")
            }
            stack.append(.number(number))
        default:
            var numbers: [Double] = []
            for case .number(let number) in stack.suffix(Int(step.count)) { numbers.append(number) }
            stack.removeLast(Int(step.count))
            stack.append(try heap.range(numbers))
        }
    }
}
