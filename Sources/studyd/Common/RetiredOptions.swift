// SPDX-License-Identifier: Apache-2.0
import ArgumentParser

/// Options that a command once took and does not need: taken for one more release, with a hint, and not in the help.
struct RetiredOptions: ParsableArguments {
    @Option(name: .long, help: .hidden) var config: String?
    @Option(name: .long, help: .hidden) var state: String?

    func validate() throws {
        if config != nil { Self.hint("--config has no effect on this command") }
        if state != nil { Self.hint("--state has no effect on this command") }
    }

    /// A spelling that goes on to work until the next release.
    static func hint(_ words: String) {
        Output.remark("studyd: \(words); the next release will not accept it")
    }
}
