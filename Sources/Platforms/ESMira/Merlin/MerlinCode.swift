// SPDX-License-Identifier: Apache-2.0

/// The code of a script, and the names in it: `MerlinCompiler` generates it, and `MerlinMachine` runs it.
/// `resolve` comes last: it turns names into slots, which needs all assignments. A running function has a
/// frame of slots on the stack; a scope (block, loop or function body) has a range of them, the first for
/// its value.
///
/// `steps` and `places` always have the same length. Functions and variables have one table of names:
/// a function `f` is in it as `f(`.
struct MerlinCode {
    private(set) var steps: [MerlinStep] = []
    /// Where in the script's text each step comes from.
    private(set) var places: [MerlinPlace] = []
    private(set) var constants: [MerlinCell] = []
    private(set) var texts: [String] = []
    /// Names of fields.
    private(set) var names: [String] = []
    private(set) var functions = [MerlinFunction()]
    private(set) var scopes = [MerlinScope(parent: -1, function: 0)]
    private(set) var references: [MerlinReference] = []
    /// The scope that is open now.
    private(set) var scope = 0
    /// The function that is being generated; 0 = the script itself.
    private(set) var function = 0
    /// By scope: the index of each name in `references`.
    private var known: [[String: Int32]] = [[:]]
    /// The index of each field name in `names`.
    private var interned: [String: Int] = [:]

    /// Steps that are emitted a second time.
    struct Part {
        fileprivate let steps: ArraySlice<MerlinStep>
        fileprivate let places: ArraySlice<MerlinPlace>
    }

    // MARK: steps

    /// The number of the next step.
    var next: Int { steps.count }

    @discardableResult
    mutating func emit(_ operation: MerlinOperation, operand: Int, count: UInt8, at place: MerlinPlace) -> Int {
        steps.append(MerlinStep(operation: operation, count: count, operand: Int32(operand)))
        places.append(place)
        return steps.count - 1
    }

    /// Makes a jump lead to the next step.
    mutating func land(_ jump: Int) { steps[jump].operand = Int32(steps.count - jump - 1) }

    /// The variable that a step pushes; nil where it does something else.
    func variable(at step: Int) -> String? {
        guard steps.indices.contains(step), steps[step].operation == .load else { return nil }
        return references[Int(steps[step].operand)].name
    }

    func part(from start: Int) -> Part { Part(steps: steps[start...], places: places[start...]) }

    mutating func append(_ part: Part) {
        steps += part.steps
        places += part.places
    }

    mutating func removeLast() -> (step: MerlinStep, place: MerlinPlace) { (steps.removeLast(), places.removeLast()) }

    /// Valid only if no jump crosses the range, since jumps are relative.
    mutating func move(_ step: Int, to start: Int) {
        steps.insert(steps.remove(at: step), at: start)
        places.insert(places.remove(at: step), at: start)
    }

    /// Gives the last step, a call, one argument more; false where it has the most already.
    mutating func addArgument() -> Bool {
        guard steps[steps.count - 1].count < UInt8.max else { return false }
        steps[steps.count - 1].count += 1
        return true
    }

    /// Returns its index among the constants.
    mutating func constant(_ value: MerlinCell) -> Int {
        constants.append(value)
        return constants.count - 1
    }

    mutating func text(_ text: String) -> MerlinCell {
        texts.append(text)
        return .text(Int32(texts.count - 1))
    }

    // MARK: names

    mutating func open(parent: Int) -> Int {
        scope = scopes.count
        var new = MerlinScope(parent: parent, function: function)
        new.steps = steps.count..<steps.count
        scopes.append(new)
        known.append([:])
        return scope
    }

    /// Ends the scope with the last step, and goes back to the one around it.
    mutating func close(_ scope: Int, backTo outer: Int) {
        scopes[scope].steps = scopes[scope].steps.lowerBound..<steps.count
        self.scope = outer
    }

    /// Declares a function in the open scope and returns its number; `open(function:)` begins its body.
    mutating func addFunction(_ name: String) -> Int {
        functions.append(MerlinFunction())
        let number = functions.count - 1
        declare(name + "(", in: scope)
        functions[number].reference = reference(name + "(")
        return number
    }

    /// The function's body begins with the next step.
    mutating func open(function number: Int) -> Int {
        function = number
        let own = open(parent: 0)
        functions[number].scope = own
        functions[number].entry = steps.count
        return own
    }

    mutating func addParameter(_ name: String, to number: Int) {
        functions[number].parameters.append(declare(name, in: functions[number].scope))
    }

    mutating func close(function number: Int, backTo outer: (scope: Int, function: Int)) {
        close(functions[number].scope, backTo: outer.scope)
        function = outer.function
    }

    /// Gives the name a slot in the scope, or returns the one that it has.
    @discardableResult
    mutating func declare(_ name: String, in scope: Int) -> Int {
        if let known = scopes[scope].names[name] { return known }
        let slot = scopes[scope].count
        scopes[scope].names[name] = slot
        scopes[scope].count += 1
        return slot
    }

    /// The name as seen from the open scope, as an index in `references`.
    mutating func reference(_ name: String) -> Int32 {
        if let known = known[scope][name] { return known }
        let number = Int32(references.count)
        known[scope][name] = number
        references.append(MerlinReference(scope: scope, name: name))
        return number
    }

    mutating func intern(_ name: String) -> Int {
        if let known = interned[name] { return known }
        interned[name] = names.count
        names.append(name)
        return names.count - 1
    }

    /// Gives every scope its slots in the frame, and every reference the slots that may hold its
    /// name, the innermost first; `~slot` is one of the script's own frame.
    mutating func resolve() {
        for number in scopes.indices {
            let parent = scopes[number].parent
            if parent >= 0, scopes[parent].function == scopes[number].function {
                scopes[number].base = scopes[parent].base + scopes[parent].count
            }
            let own = scopes[number].function
            functions[own].slots = max(functions[own].slots, scopes[number].base + scopes[number].count)
        }
        for number in references.indices { references[number].slots = slots(of: references[number]) }
    }

    private func slots(of reference: MerlinReference) -> [Int32] {
        var (slots, next) = ([Int32](), reference.scope)
        let function = scopes[next].function
        while next >= 0 {
            if let slot = scopes[next].names[reference.name] {
                let place = Int32(scopes[next].base + slot)
                slots.append(scopes[next].function == function ? place : ~place)
            }
            next = scopes[next].parent
        }
        return slots
    }
}

/// A function of the script.
struct MerlinFunction {
    /// Index of its first step.
    var entry = 0
    /// Index of its outermost scope.
    var scope = 0
    /// How many slots its frame has on the stack.
    var slots = 0
    /// Slots of its parameters.
    var parameters: [Int] = []
    /// The reference by which it is defined.
    var reference: Int32 = 0
}

/// A block's, a loop's or a function's own variables: slots of the frame, the first of which holds
/// the value of its last expression.
struct MerlinScope {
    /// Index of the scope around it; -1 = none.
    var parent: Int
    /// Index of the function that it belongs to.
    var function: Int
    /// Slots of its variables, counted from `base`.
    var names: [String: Int] = [:]
    /// How many slots it has, the value's included.
    var count = 1
    /// Its first slot in the frame.
    var base = 0
    /// The steps during which it is open.
    var steps = 0..<0
}

/// A name as seen from one scope: the slots where its value may be, the innermost first. A negative
/// one, `~slot`, is in the script's own frame.
struct MerlinReference {
    let scope: Int
    let name: String
    var slots: [Int32] = []
}
