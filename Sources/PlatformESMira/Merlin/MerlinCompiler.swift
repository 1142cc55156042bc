// SPDX-License-Identifier: Apache-2.0

/// From words to steps in one pass; names become places at the end, when all that is assigned anywhere is known.
struct MerlinCompiler {
    private(set) var steps: [MerlinStep] = []
    private(set) var places: [MerlinPlace] = []
    private(set) var constants: [MerlinCell] = []
    private(set) var texts: [String] = []
    private(set) var names: [String] = []
    private(set) var functions = [MerlinFunction()]
    private(set) var scopes = [MerlinScope(parent: -1, function: 0)]
    private(set) var references: [MerlinReference] = []

    private let tokens: [MerlinToken]
    private var at = 0
    private var depth = 0
    private var scope = 0
    private var function = 0
    /// How many `init` blocks of this function are open.
    private var inits = 0
    /// By scope.
    private var known: [[String: Int32]] = [[:]]
    private var interned: [String: Int] = [:]

    init(_ tokens: [MerlinToken]) { self.tokens = tokens }

    /// What an expression is to a statement that assigns, or to `>>`.
    private enum Shape: Equatable {
        case variable(String)
        case field, element
        /// Its first step is that which looks for the function, if it is the script's own.
        case call(isOwn: Bool)
        case other
    }

    mutating func script() throws(MerlinProblem) {
        declare("globals", in: 0)
        while !isAtEnd { try declaration() }
        emit(.result, operand: 0)
        emit(.halt)
        scopes[0].steps = 0..<steps.count
    }

    // MARK: statements

    private mutating func declaration() throws(MerlinProblem) {
        if consume(.function) { try functionStatement() } else { try statement() }
    }

    private mutating func statement() throws(MerlinProblem) {
        try enter()
        defer { depth -= 1 }
        if consume(.for) { return try forStatement() }
        if consume(.if) { return try ifStatement() }
        if consume(.return) { return try returnStatement() }
        if consume(.while) { return try whileStatement() }
        if consume(.`init`) { return try initStatement() }
        if consume(.leftBrace) { return try block() }
        try assignment()
    }

    private mutating func functionStatement() throws(MerlinProblem) {
        let place = tokens[at].place
        let name = try name("a function needs a name")
        try expect(.leftParenthesis, "after the function's name")
        let number = functions.count
        functions.append(MerlinFunction())
        declare(name + "(", in: scope)
        functions[number].reference = reference(name + "(")
        emit(.defineFunction, operand: number, at: place)
        let over = emit(.jump)
        let outer = (scope, function, inits)
        (function, inits) = (number, 0)
        let own = open(parent: 0)
        functions[number].scope = own
        functions[number].entry = steps.count
        if !check(.rightParenthesis) {
            repeat {
                functions[number].parameters.append(declare(try self.name("a parameter needs a name"), in: own))
            } while consume(.comma)
        }
        try expect(.rightParenthesis, "after the parameters")
        try expect(.leftBrace, "before the function's body")
        try statements()
        emit(.result, operand: own)
        emit(.return)
        close(own)
        (scope, function, inits) = outer
        land(over)
    }

    /// Up to the closing brace.
    private mutating func statements() throws(MerlinProblem) {
        try enter()
        defer { depth -= 1 }
        while !check(.rightBrace), !isAtEnd { try declaration() }
        try expect(.rightBrace, "at the end of the block")
    }

    private mutating func block() throws(MerlinProblem) {
        let outer = scope
        let own = open(parent: outer)
        emit(.enter, operand: own)
        try statements()
        close(own)
        scope = outer
    }

    private mutating func forStatement() throws(MerlinProblem) {
        try expect(.leftParenthesis, "after 'for'")
        let place = tokens[at].place
        let variable = try name("'for' needs a variable")
        try expect(.in, "after the variable of 'for'")
        try expression()
        try expect(.rightParenthesis, "after the list of 'for'")
        emit(.forBegin, at: place)
        let start = steps.count
        let next = emit(.forNext)
        let outer = scope
        let own = open(parent: outer)
        emit(.enter, operand: own)
        declare(variable, in: own)
        emit(.define, operand: own)
        try statement()
        close(own)
        scope = outer
        emit(.jump, operand: start - steps.count - 1)
        land(next)
    }

    private mutating func ifStatement() throws(MerlinProblem) {
        var ends: [Int] = []
        repeat {
            try condition("'if'")
            let no = emit(.jumpIfFalse)
            try statement()
            ends.append(emit(.jump))
            land(no)
        } while consume(.elif)
        if consume(.else) { try statement() }
        for end in ends { land(end) }
    }

    private mutating func whileStatement() throws(MerlinProblem) {
        let start = steps.count
        try condition("'while'")
        let end = emit(.jumpIfFalse)
        try statement()
        emit(.jump, operand: start - steps.count - 1)
        land(end)
    }

    private mutating func condition(_ word: String) throws(MerlinProblem) {
        try expect(.leftParenthesis, "after \(word)")
        try expression()
        try expect(.rightParenthesis, "after the condition of \(word)")
    }

    private mutating func returnStatement() throws(MerlinProblem) {
        if check(.semicolon) { emit(.result, operand: scope) } else { try expression() }
        try expect(.semicolon, "after the value of 'return'")
        if inits > 0 { emit(.initEnd) }
        emit(function == 0 ? .halt : .return)
    }

    private mutating func initStatement() throws(MerlinProblem) {
        try expect(.leftBrace, "after 'init'")
        emit(.initBegin)
        inits += 1
        try statements()
        inits -= 1
        emit(.initEnd)
    }

    private mutating func assignment() throws(MerlinProblem) {
        let start = steps.count
        let shape = try expression()
        let equals = tokens[at].place
        guard let sign = tokens[at].sign, let operation = sign.assignment else {
            try expect(.semicolon, "after the expression")
            emit(.setResult, operand: scope)
            return
        }
        at += 1
        let (whole, wholePlaces) = (steps[start...], places[start...])
        let (last, place) = (steps.removeLast(), places.removeLast())
        if shape == .field { emit(.checkObject, at: place) }
        if operation != .store {
            steps += whole
            places += wholePlaces
        }
        try expression()
        if operation != .store { emit(operation, at: equals) }
        switch shape {
        case .variable(let name):
            declare(name, in: scope)
            emit(.store, operand: Int(reference(name)), at: equals)
        case .field: emit(.setField, operand: Int(last.operand), at: place)
        case .element: emit(.setElement, at: place)
        default:
            throw MerlinProblem(.parsing, equals, "nothing can be assigned to what is before '\(sign.rawValue)'")
        }
        try expect(.semicolon, "after the assignment")
    }

    // MARK: expressions

    /// Operators of at least this strength; the left one of equals binds first.
    @discardableResult
    private mutating func expression(_ strength: Int = 1) throws(MerlinProblem) -> Shape {
        try enter()
        defer { depth -= 1 }
        var shape = try range()
        while let sign = tokens[at].sign, let (own, operation) = sign.operation, own >= strength {
            let place = tokens[at].place
            at += 1
            shape = .other
            if operation == .or || operation == .and {
                let skip = emit(operation, at: place)
                try expression(own + 1)
                emit(operation == .or ? .combineOr : .combineAnd, at: place)
                land(skip)
            } else {
                try expression(own + 1)
                emit(operation, at: place)
            }
        }
        return shape
    }

    private mutating func range() throws(MerlinProblem) -> Shape {
        let shape = try unary()
        let place = tokens[at].place
        guard consume(.colon) else { return shape }
        emit(.rangeBound, operand: 0, at: place)
        try unary()
        emit(.rangeBound, operand: 1, at: place)
        if consume(.colon) {
            try unary()
            emit(.rangeBound, operand: 2, at: place)
            emit(.range, count: 3, at: place)
        } else {
            emit(.range, count: 2, at: place)
        }
        return .other
    }

    @discardableResult
    private mutating func unary() throws(MerlinProblem) -> Shape {
        let place = tokens[at].place
        guard let operation: MerlinOperation = consume(.not) ? .not : consume(.minus) ? .minus : nil else {
            return try chain()
        }
        try enter()
        defer { depth -= 1 }
        try unary()
        emit(operation, at: place)
        return .other
    }

    /// `a >> f(b)` is `f(a, b)`: the value is reckoned after the function was looked for, before its other arguments.
    private mutating func chain() throws(MerlinProblem) -> Shape {
        let start = steps.count
        var shape = try suffixed()
        while consume(.chain) {
            let next = steps.count
            let place = tokens[at].place
            guard case .call(let isOwn) = try suffixed() else {
                throw MerlinProblem(.parsing, place, "after '>>' there must be a call of a function")
            }
            if isOwn {
                steps.insert(steps.remove(at: next), at: start)
                places.insert(places.remove(at: next), at: start)
            }
            guard steps[steps.count - 1].count < UInt8.max else { throw tooManyArguments }
            steps[steps.count - 1].count += 1
            shape = .other
        }
        return shape
    }

    /// A value with calls, fields and elements behind it.
    private mutating func suffixed() throws(MerlinProblem) -> Shape {
        var shape = try value()
        while true {
            let place = tokens[at].place
            if consume(.leftParenthesis) {
                guard case .variable(let name) = shape else {
                    throw MerlinProblem(.parsing, place, "only a name can be called as a function")
                }
                shape = try call(name)
            } else if consume(.dot) {
                let place = tokens[at].place
                emit(.field, operand: intern(try name("after '.' there must be the name of a field")), at: place)
                shape = .field
            } else if consume(.leftBracket) {
                emit(.checkList, at: place)
                try expression()
                try expect(.rightBracket, "after the index")
                emit(.element, at: place)
                shape = .element
            } else {
                return shape
            }
        }
    }

    private mutating func call(_ name: String) throws(MerlinProblem) -> Shape {
        let native = MerlinNative.named[name]
        let (_, callee) = (steps.removeLast(), places.removeLast())
        if native == nil { emit(.checkFunction, operand: Int(reference(name + "(")), at: callee) }
        var count = 0
        if !check(.rightParenthesis) {
            repeat {
                try expression()
                count += 1
            } while consume(.comma)
        }
        let place = tokens[at].place
        try expect(.rightParenthesis, "after the arguments")
        guard count <= UInt8.max else { throw tooManyArguments }
        if let native {
            emit(.native, operand: Int(native.rawValue), count: UInt8(count), at: place)
        } else {
            emit(.call, operand: Int(reference(name + "(")), count: UInt8(count), at: place)
        }
        return .call(isOwn: native == nil)
    }

    private var tooManyArguments: MerlinProblem {
        MerlinProblem(.parsing, token.place, "a function cannot have more than 255 arguments")
    }

    private mutating func value() throws(MerlinProblem) -> Shape {
        let place = tokens[at].place
        switch token.kind {
        case .number(let number): constant(.number(number))
        case .text(let text):
            constant(.text(Int32(texts.count)))
            texts.append(text)
        case .sign(.true): constant(.number(1))
        case .sign(.false): constant(.number(0))
        case .sign(.none): constant(.none)
        case .sign(.object):
            at += 1
            emit(.object)
        case .name(let name):
            at += 1
            emit(.load, operand: Int(reference(name)), at: place)
            return .variable(name)
        case .sign(.leftParenthesis):
            at += 1
            try expression()
            try expect(.rightParenthesis, "after the expression")
        case .sign(.leftBracket):
            at += 1
            try list()
        default: throw MerlinProblem(.parsing, place, "expected a value, found \(token.words)")
        }
        return .other
    }

    private mutating func constant(_ value: MerlinCell) {
        at += 1
        emit(.constant, operand: constants.count)
        constants.append(value)
    }

    private mutating func list() throws(MerlinProblem) {
        var count = 0
        if !check(.rightBracket) {
            repeat {
                try expression()
                count += 1
            } while consume(.comma)
        }
        try expect(.rightBracket, "after the list")
        emit(.list, operand: count)
    }
}

// MARK: words, steps and names

extension MerlinCompiler {
    private var token: MerlinToken { tokens[at] }

    private var isAtEnd: Bool { at == tokens.count - 1 }

    private func check(_ sign: MerlinSign) -> Bool { tokens[at].sign == sign }

    private mutating func consume(_ sign: MerlinSign) -> Bool {
        guard check(sign) else { return false }
        at += 1
        return true
    }

    private mutating func expect(_ sign: MerlinSign, _ place: String) throws(MerlinProblem) {
        guard !consume(sign) else { return }
        throw MerlinProblem(.parsing, token.place, "'\(sign.rawValue)' is missing \(place), before \(token.words)")
    }

    private mutating func name(_ complaint: String) throws(MerlinProblem) -> String {
        guard case .name(let name) = token.kind else {
            throw MerlinProblem(.parsing, token.place, "\(complaint), not \(token.words)")
        }
        at += 1
        return name
    }

    /// One level deeper; the caller goes back up.
    private mutating func enter() throws(MerlinProblem) {
        depth += 1
        guard depth <= MerlinLimits.nesting else {
            depth -= 1
            throw MerlinProblem(.parsing, token.place, "this is nested more than \(MerlinLimits.nesting) levels deep")
        }
    }

    @discardableResult
    private mutating func emit(
        _ operation: MerlinOperation, operand: Int = 0, count: UInt8 = 0, at place: MerlinPlace? = nil
    ) -> Int {
        steps.append(MerlinStep(operation: operation, count: count, operand: Int32(operand)))
        places.append(place ?? tokens[max(0, at - 1)].place)
        return steps.count - 1
    }

    /// Lets a jump lead to the next step.
    private mutating func land(_ jump: Int) { steps[jump].operand = Int32(steps.count - jump - 1) }

    private mutating func open(parent: Int) -> Int {
        scope = scopes.count
        var new = MerlinScope(parent: parent, function: function)
        new.steps = steps.count..<steps.count
        scopes.append(new)
        known.append([:])
        return scope
    }

    private mutating func close(_ scope: Int) { scopes[scope].steps = scopes[scope].steps.lowerBound..<steps.count }

    @discardableResult
    private mutating func declare(_ name: String, in scope: Int) -> Int {
        if let known = scopes[scope].names[name] { return known }
        let slot = scopes[scope].count
        scopes[scope].names[name] = slot
        scopes[scope].count += 1
        return slot
    }

    private mutating func reference(_ name: String) -> Int32 {
        if let known = known[scope][name] { return known }
        let number = Int32(references.count)
        known[scope][name] = number
        references.append(MerlinReference(scope: scope, name: name))
        return number
    }

    private mutating func intern(_ name: String) -> Int {
        if let known = interned[name] { return known }
        interned[name] = names.count
        names.append(name)
        return names.count - 1
    }

    /// Gives every scope its places in the frame, and every reference the places where its name may be.
    mutating func resolve() {
        for number in scopes.indices {
            let parent = scopes[number].parent
            if parent >= 0, scopes[parent].function == scopes[number].function {
                scopes[number].base = scopes[parent].base + scopes[parent].count
            }
            let own = scopes[number].function
            functions[own].slots = max(functions[own].slots, scopes[number].base + scopes[number].count)
        }
        for number in references.indices { references[number].places = slots(of: references[number]) }
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
