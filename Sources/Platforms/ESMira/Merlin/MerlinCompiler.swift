// SPDX-License-Identifier: Apache-2.0

/// Compiles the tokens of a script to steps in one pass; call `script()` once, then take `code`.
///
/// A scope has a value, that of its last expression. What an `init` block assigns is assigned once
/// in the life of a study.
///
/// Whether a name, field or element is assigned to, or a name is called, shows only in the token after
/// it. So it is first compiled as if it were read, and that last step is removed if it turns out
/// otherwise (`Shape` says what it was).
struct MerlinCompiler {
    private(set) var code = MerlinCode()
    private var reader: MerlinTokenReader
    /// How many `init` blocks of this function are open.
    private var inits = 0
    /// Variables that may be `globals`, or a part of it.
    private var aliases: Set<String> = ["globals"]
    /// The script assigns to a field or element of `globals`, perhaps through an alias.
    private(set) var setsGlobals = false

    init(_ tokens: [MerlinToken]) { reader = MerlinTokenReader(tokens) }

    /// What an expression is to a statement that assigns, or to `>>`.
    private enum Shape: Equatable {
        case variable(String)
        case field, element
        /// For a function of the script itself (`isOwn`) the first step is `checkFunction`.
        case call(isOwn: Bool)
        case other
    }

    mutating func script() throws(MerlinProblem) {
        code.declare("globals", in: 0)
        while !reader.isAtEnd { try declaration() }
        emit(.result, operand: 0)
        emit(.halt)
        code.close(0, backTo: 0)
        code.resolve()
    }

    /// Errors in the step are reported at `place`; nil = at the token before the current one.
    @discardableResult
    private mutating func emit(
        _ operation: MerlinOperation, operand: Int = 0, count: UInt8 = 0, at place: MerlinPlace? = nil
    ) -> Int {
        code.emit(operation, operand: operand, count: count, at: place ?? reader.placeBefore)
    }

    // MARK: statements

    private mutating func declaration() throws(MerlinProblem) {
        if reader.consume(.function) { try functionStatement() } else { try statement() }
    }

    private mutating func statement() throws(MerlinProblem) {
        try reader.enter()
        defer { reader.leave() }
        if reader.consume(.for) { return try forStatement() }
        if reader.consume(.if) { return try ifStatement() }
        if reader.consume(.return) { return try returnStatement() }
        if reader.consume(.while) { return try whileStatement() }
        if reader.consume(.`init`) { return try initStatement() }
        if reader.consume(.leftBrace) { return try block() }
        try assignment()
    }

    private mutating func functionStatement() throws(MerlinProblem) {
        let place = reader.token.place
        let name = try reader.expectName("a function needs a name")
        try reader.expect(.leftParenthesis, "after the function's name")
        let number = code.addFunction(name)
        emit(.defineFunction, operand: number, at: place)
        // The script itself jumps over the body.
        let over = emit(.jump)
        let (outer, outerInits) = ((code.scope, code.function), inits)
        inits = 0
        let own = code.open(function: number)
        if !reader.check(.rightParenthesis) {
            repeat {
                code.addParameter(try reader.expectName("a parameter needs a name"), to: number)
            } while reader.consume(.comma)
        }
        try reader.expect(.rightParenthesis, "after the parameters")
        try reader.expect(.leftBrace, "before the function's body")
        try statements()
        emit(.result, operand: own)
        emit(.return)
        code.close(function: number, backTo: outer)
        inits = outerInits
        code.land(over)
    }

    /// Up to the closing brace.
    private mutating func statements() throws(MerlinProblem) {
        try reader.enter()
        defer { reader.leave() }
        while !reader.check(.rightBrace), !reader.isAtEnd { try declaration() }
        try reader.expect(.rightBrace, "at the end of the block")
    }

    private mutating func block() throws(MerlinProblem) {
        let outer = code.scope
        let own = code.open(parent: outer)
        emit(.enter, operand: own)
        try statements()
        code.close(own, backTo: outer)
    }

    private mutating func forStatement() throws(MerlinProblem) {
        try reader.expect(.leftParenthesis, "after 'for'")
        let place = reader.token.place
        let variable = try reader.expectName("'for' needs a variable")
        try reader.expect(.in, "after the variable of 'for'")
        let list = code.next
        try expression()
        if isGlobals(list) { aliases.insert(variable) }
        try reader.expect(.rightParenthesis, "after the list of 'for'")
        emit(.forBegin, at: place)
        let start = code.next
        let next = emit(.forNext)
        let outer = code.scope
        let own = code.open(parent: outer)
        emit(.enter, operand: own)
        code.declare(variable, in: own)
        emit(.define, operand: own)
        try statement()
        code.close(own, backTo: outer)
        emit(.jump, operand: start - code.next - 1)
        code.land(next)
    }

    private mutating func ifStatement() throws(MerlinProblem) {
        var ends: [Int] = []
        repeat {
            try condition("'if'")
            let no = emit(.jumpIfFalse)
            try statement()
            ends.append(emit(.jump))
            code.land(no)
        } while reader.consume(.elif)
        if reader.consume(.else) { try statement() }
        for end in ends { code.land(end) }
    }

    private mutating func whileStatement() throws(MerlinProblem) {
        let start = code.next
        try condition("'while'")
        let end = emit(.jumpIfFalse)
        try statement()
        emit(.jump, operand: start - code.next - 1)
        code.land(end)
    }

    private mutating func condition(_ word: String) throws(MerlinProblem) {
        try reader.expect(.leftParenthesis, "after \(word)")
        try expression()
        try reader.expect(.rightParenthesis, "after the condition of \(word)")
    }

    private mutating func returnStatement() throws(MerlinProblem) {
        if reader.check(.semicolon) { emit(.result, operand: code.scope) } else { try expression() }
        try reader.expect(.semicolon, "after the value of 'return'")
        if inits > 0 { emit(.initEnd) }
        emit(code.function == 0 ? .halt : .return)
    }

    private mutating func initStatement() throws(MerlinProblem) {
        try reader.expect(.leftBrace, "after 'init'")
        emit(.initBegin)
        inits += 1
        try statements()
        inits -= 1
        emit(.initEnd)
    }

    private mutating func assignment() throws(MerlinProblem) {
        let start = code.next
        let shape = try expression()
        let equals = reader.token.place
        guard let sign = reader.token.sign, let operation = sign.assignment else {
            try reader.expect(.semicolon, "after the expression")
            emit(.setResult, operand: code.scope)
            return
        }
        // The target was compiled as a read: without its last step, only its object or list and index remain.
        reader.advance()
        let isShared = isGlobals(start)
        let whole = code.part(from: start)
        let (last, place) = code.removeLast()
        if shape == .field { emit(.checkObject, at: place) }
        // `a += b` computes `a` again for its old value.
        if operation != .store { code.append(whole) }
        let value = code.next
        try expression()
        if operation != .store { emit(operation, at: equals) }
        switch shape {
        case .variable(let name):
            if isGlobals(value) { aliases.insert(name) }
            code.declare(name, in: code.scope)
            emit(.store, operand: Int(code.reference(name)), at: equals)
        case .field:
            setsGlobals = setsGlobals || isShared
            emit(.setField, operand: Int(last.operand), at: place)
        case .element:
            setsGlobals = setsGlobals || isShared
            emit(.setElement, at: place)
        default:
            throw MerlinProblem(.parsing, equals, "nothing can be assigned to what is before '\(sign.rawValue)'")
        }
        try reader.expect(.semicolon, "after the assignment")
    }

    /// Whether the expression that begins with that step begins with `globals`, or what was taken from it.
    private func isGlobals(_ start: Int) -> Bool { code.variable(at: start).map(aliases.contains) ?? false }

    // MARK: expressions; a stronger operator binds before a weaker one

    /// Compiles operators of at least this strength; operators of the same strength bind from the left.
    @discardableResult
    private mutating func expression(_ strength: Int = 1) throws(MerlinProblem) -> Shape {
        try reader.enter()
        defer { reader.leave() }
        var shape = try range()
        while let sign = reader.token.sign, let (own, operation) = sign.operation, own >= strength {
            let place = reader.token.place
            reader.advance()
            shape = .other
            if operation == .or || operation == .and {
                let skip = emit(operation, at: place)
                try expression(own + 1)
                emit(operation == .or ? .combineOr : .combineAnd, at: place)
                code.land(skip)
            } else {
                try expression(own + 1)
                emit(operation, at: place)
            }
        }
        return shape
    }

    private mutating func range() throws(MerlinProblem) -> Shape {
        let shape = try unary()
        let place = reader.token.place
        guard reader.consume(.colon) else { return shape }
        emit(.rangeBound, operand: 0, at: place)
        try unary()
        emit(.rangeBound, operand: 1, at: place)
        if reader.consume(.colon) {
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
        let place = reader.token.place
        guard let operation: MerlinOperation = reader.consume(.not) ? .not : reader.consume(.minus) ? .minus : nil
        else {
            return try chain()
        }
        try reader.enter()
        defer { reader.leave() }
        try unary()
        emit(operation, at: place)
        return .other
    }

    /// `a >> f(b)` is `f(a, b)`. `checkFunction` comes first, then `a`, then the other arguments: hence
    /// the move.
    private mutating func chain() throws(MerlinProblem) -> Shape {
        let start = code.next
        var shape = try suffixed()
        while reader.consume(.chain) {
            let next = code.next
            let place = reader.token.place
            guard case .call(let isOwn) = try suffixed() else {
                throw MerlinProblem(.parsing, place, "after '>>' there must be a call of a function")
            }
            if isOwn { code.move(next, to: start) }
            guard code.addArgument() else { throw tooManyArguments }
            shape = .other
        }
        return shape
    }

    /// A value with calls, fields and elements behind it.
    private mutating func suffixed() throws(MerlinProblem) -> Shape {
        var shape = try value()
        while true {
            let place = reader.token.place
            if reader.consume(.leftParenthesis) {
                guard case .variable(let name) = shape else {
                    throw MerlinProblem(.parsing, place, "only a name can be called as a function")
                }
                shape = try call(name)
            } else if reader.consume(.dot) {
                let place = reader.token.place
                emit(
                    .field, operand: code.intern(try reader.expectName("after '.' there must be the name of a field")),
                    at: place)
                shape = .field
            } else if reader.consume(.leftBracket) {
                emit(.checkList, at: place)
                try expression()
                try reader.expect(.rightBracket, "after the index")
                emit(.element, at: place)
                shape = .element
            } else {
                return shape
            }
        }
    }

    private mutating func call(_ name: String) throws(MerlinProblem) -> Shape {
        let native = MerlinNative.named[name]
        let callee = code.removeLast().place
        if native == nil { emit(.checkFunction, operand: Int(code.reference(name + "(")), at: callee) }
        let count = try expressions(before: .rightParenthesis)
        let place = reader.token.place
        try reader.expect(.rightParenthesis, "after the arguments")
        guard count <= UInt8.max else { throw tooManyArguments }
        if let native {
            emit(.native, operand: Int(native.rawValue), count: UInt8(count), at: place)
        } else {
            emit(.call, operand: Int(code.reference(name + "(")), count: UInt8(count), at: place)
        }
        return .call(isOwn: native == nil)
    }

    private var tooManyArguments: MerlinProblem {
        reader.problem("a function cannot have more than 255 arguments")
    }

    private mutating func value() throws(MerlinProblem) -> Shape {
        let place = reader.token.place
        switch reader.token.kind {
        case .number(let number): constant(.number(number))
        case .text(let text): constant(code.text(text))
        case .sign(.true): constant(.number(1))
        case .sign(.false): constant(.number(0))
        case .sign(.none): constant(.none)
        case .sign(.object):
            reader.advance()
            emit(.object)
        case .name(let name):
            reader.advance()
            emit(.load, operand: Int(code.reference(name)), at: place)
            return .variable(name)
        case .sign(.leftParenthesis):
            reader.advance()
            try expression()
            try reader.expect(.rightParenthesis, "after the expression")
        case .sign(.leftBracket):
            reader.advance()
            try list()
        default: throw MerlinProblem(.parsing, place, "expected a value, found \(reader.token.words)")
        }
        return .other
    }

    private mutating func constant(_ value: MerlinCell) {
        reader.advance()
        emit(.constant, operand: code.constant(value))
    }

    private mutating func list() throws(MerlinProblem) {
        let count = try expressions(before: .rightBracket)
        try reader.expect(.rightBracket, "after the list")
        emit(.list, operand: count)
    }

    /// Any number of expressions with commas between them; returns how many.
    private mutating func expressions(before end: MerlinSign) throws(MerlinProblem) -> Int {
        guard !reader.check(end) else { return 0 }
        var count = 0
        repeat {
            try expression()
            count += 1
        } while reader.consume(.comma)
        return count
    }
}
