// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Agent

@Suite struct ConfigTableTests {
    enum Colour: String, CaseIterable { case red, green }

    private func complaint(_ text: String, _ read: (ConfigTable) throws -> Void) -> String? {
        do {
            let table = try ConfigSource.parse(text, file: "x.toml")
            try read(table)
            try table.rejectUnknownKeys()
            return nil
        } catch { return "\(error)" }
    }

    @Test func typedGettersReadWhatIsThere() throws {
        let text = "a = 'x'\nb = 0x18\nc = 2\nd = 2.5\ne = true\nf = 'green'\n[g]\nh = 1\n[[i]]\nj = 1\n[[i]]\nj = 2\n"
        let table = try ConfigSource.parse(text, file: "x.toml")
        #expect(try table.string("a") == "x")
        #expect(try table.integer("b", in: 0...100) == 24)
        #expect(try table.number("c", in: 0...10) == 2)
        #expect(try table.number("d", in: 0...10) == 2.5)
        #expect(try table.boolean("e") == true)
        #expect(try table.choice("f", Colour.self) == .green)
        #expect(try table.table("g")?.integer("h", in: 0...1) == 1)
        #expect(try table.tables("i").map { try $0.integer("j", in: 0...9) } == [1, 2])
        try table.rejectUnknownKeys()
    }

    @Test func whatIsAbsentIsNilNotZero() throws {
        let table = try ConfigSource.parse("", file: "x.toml")
        #expect(try table.string("a") == nil)
        #expect(try table.integer("a", in: 0...1) == nil)
        #expect(try table.number("a", in: 0...1) == nil)
        #expect(try table.boolean("a") == nil)
        #expect(try table.table("a") == nil)
        #expect(try table.tables("a").isEmpty)
    }

    /// Each mistake: the text, how it is read, and what its complaint must begin with and contain.
    struct Mistake: Sendable {
        let text: String
        let read: @Sendable (ConfigTable) throws -> Void
        let begins: String
        let contains: String
    }

    static let mistakes: [Mistake] = [
        Mistake(
            text: "\na = 3\n", read: { _ = try $0.string("a") }, begins: "x.toml:2: a: ", contains: "a text in quotes"),
        Mistake(
            text: "a = 'x'", read: { _ = try $0.integer("a", in: 0...1) }, begins: "x.toml:1: a: ",
            contains: "a whole number"),
        Mistake(
            text: "a = 2.5", read: { _ = try $0.integer("a", in: 0...9) }, begins: "x.toml:1: a: ",
            contains: "a whole number"),
        Mistake(
            text: "a = 7", read: { _ = try $0.integer("a", in: 0...6) }, begins: "x.toml:1: a: ", contains: "0 to 6"),
        Mistake(
            text: "a = nan", read: { _ = try $0.number("a", in: 0...6) }, begins: "x.toml:1: a: ", contains: "a number"),
        Mistake(
            text: "a = 'yes'", read: { _ = try $0.boolean("a") }, begins: "x.toml:1: a: ", contains: "true or false"),
        Mistake(
            text: "a = 'blue'", read: { _ = try $0.choice("a", Colour.self) }, begins: "x.toml:1: a: ",
            contains: "red, green"),
        Mistake(text: "a = 1", read: { _ = try $0.table("a") }, begins: "x.toml:1: a: ", contains: "a table"),
        Mistake(text: "[a]\nb = 1", read: { _ = try $0.tables("a") }, begins: "x.toml:1: a: ", contains: "[[a]]"),
        Mistake(text: "a = [1]", read: { _ = try $0.tables("a") }, begins: "x.toml:1: a: ", contains: "[[a]]"),
        Mistake(text: "# a note\n  b = 1", read: { _ in }, begins: "x.toml:2: b: ", contains: "unknown key"),
        Mistake(
            text: "[a]\nb = 1\n", read: { _ = try $0.table("a")?.string("c") }, begins: "x.toml:2: a.b: ",
            contains: "known keys: c"),
        Mistake(
            text: "[[a]]\nb = 1\n[[a]]\nb = 'x'\n",
            read: { for table in try $0.tables("a") { _ = try table.integer("b", in: 0...1) } },
            begins: "x.toml:4: a[1].b: ", contains: "a whole number"),
        Mistake(
            text: "[[a]]\n\n[[a]]\n",
            read: { for table in try $0.tables("a") { _ = try table.required("b", table.string("b")) } },
            begins: "x.toml:1: a[0].b: ", contains: "is missing"),
        Mistake(
            text: "a = { b = 1 }", read: { _ = try $0.table("a")?.string("b") }, begins: "x.toml:1: a.b: ",
            contains: "a text in quotes"),
        Mistake(
            text: "a = [\n  { b = 1 },\n]", read: { for table in try $0.tables("a") { _ = try table.string("b") } },
            begins: "x.toml:2: a[0].b: ", contains: "a text in quotes"),
        Mistake(
            text: "x = 1\r\n\r\n[ a ]\r\nb = 1\r\n",
            read: {
                _ = try $0.integer("x", in: 0...1)
                _ = try $0.table("a")?.string("b")
            }, begins: "x.toml:4: a.b: ", contains: "a text in quotes"),
        Mistake(
            text: "[[ a ]] # first\nb = 1", read: { for table in try $0.tables("a") { _ = try table.string("b") } },
            begins: "x.toml:2: a[0].b: ", contains: "a text in quotes"),
        Mistake(
            text: "a.b = 1", read: { _ = try $0.table("a")?.string("b") }, begins: "x.toml:1: a.b: ",
            contains: "a text in quotes"),
        Mistake(
            text: "\"a\" = 1", read: { _ = try $0.string("a") }, begins: "x.toml:1: a: ", contains: "a text in quotes"),
        Mistake(
            text: "a = '''\nb = 2\n'''\nb = 1",
            read: {
                _ = try $0.string("a")
                _ = try $0.string("b")
            }, begins: "x.toml:4: b: ", contains: "a text in quotes"),
        Mistake(text: "a = \nb = 1", read: { _ in }, begins: "x.toml:1: ", contains: "column"),
        Mistake(text: "[[[", read: { _ in }, begins: "x.toml:1: ", contains: "column 3: expected a key"),
        Mistake(text: "\n[.a]", read: { _ in }, begins: "x.toml:2: ", contains: "column 2: expected a key"),
        Mistake(text: "a = \"x", read: { _ in }, begins: "x.toml:1: ", contains: "close it with"),
        Mistake(text: "\na = 9223372036854775808", read: { _ in }, begins: "x.toml:2: ", contains: "too large"),
        Mistake(
            text: "a = 1979-05-27", read: { _ = try $0.string("a") }, begins: "x.toml:1: a: ",
            contains: "found the time 1979-05-27"),
        Mistake(
            text: "a = [[1, 2], 3]", read: { _ = try $0.integers("a") }, begins: "x.toml:1: a: ",
            contains: "expected rows of whole numbers in brackets, found the number 3"),
        Mistake(text: "a = 1\na = 2", read: { _ in }, begins: "x.toml:2: ", contains: "column"),
    ]

    @Test(arguments: mistakes.indices)
    func everyMistakeNamesFileLineKeyAndWhatWouldBeRight(_ index: Int) {
        let mistake = Self.mistakes[index]
        let complaint = complaint(mistake.text, mistake.read)
        #expect(complaint?.hasPrefix(mistake.begins) == true, "\(complaint ?? "no complaint")")
        #expect(complaint?.contains(mistake.contains) == true, "\(complaint ?? "no complaint")")
    }

    @Test func aMisspeltKeyIsNamedBeforeTheOneThatIsMissingForIt() throws {
        let error = try #require(
            throws: ConfigError.self,
            performing: { try BoardDescription(parsing: "nmae = 'x'\n", file: "b.toml") })
        #expect("\(error)".contains("nmae"))
    }

    @Test func aFileBeyondTheLimitIsRefused() {
        let text = "a = '" + String(repeating: "x", count: ConfigSource.maximumSize) + "'"
        #expect(complaint(text) { _ in } == "x.toml: is larger than 1048576 bytes")
    }
}
