// SPDX-License-Identifier: Apache-2.0

/// Whether cloud-init may be switched off: it holds up every boot without a network for up to two
/// minutes, and on a study device most of what it does is done at the first boot. `TakeoverPlaces` makes one; takeovers
/// act on `verdict`, and `studyd check` shows it (`BootProbe`). Pure.
package struct CloudInit: Sendable, Hashable {
    /// It would run at the next boot.
    package let runs: Bool
    /// It has finished a boot with the files that are there.
    package let hasFinished: Bool
    /// The text of `user-data`; nil where there is none.
    let userData: String?

    package enum Verdict: Sendable, Hashable {
        /// cloud-init is not installed, or is switched off already.
        case idle
        /// cloud-init has not yet done what `user-data` asks for.
        case unfinished
        /// `user-data` asks for something at every boot: the key and its line, from 1.
        case needed(key: String, line: Int)
        /// It may be switched off.
        case removable
    }

    package var verdict: Verdict {
        guard runs else { return .idle }
        if let (key, line) = everyBoot { return .needed(key: key, line: line) }
        return hasFinished ? .removable : .unfinished
    }

    /// Keys whose modules run at every boot (PER_ALWAYS in cloud-init 22.4.2, as Debian 12 has it)
    /// and whose work is not still there from the boot before.
    private static let always = ["bootcmd", "chef"]
    /// Beginnings of lines by which `user-data` is more than a list of keys: its scripts and parts may run at
    /// every boot.
    private static let programs = [
        "#!", "#include", "#cloud-boothook", "#cloud-config-archive", "#part-handler", "Content-Type:",
        "MIME-Version:",
    ]

    /// The first line of `user-data` that asks for something at every boot; nil = none.
    private var everyBoot: (key: String, line: Int)? {
        let lines = (userData ?? "").split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        for (index, line) in lines.enumerated() {
            if let beginning = Self.programs.first(where: line.hasPrefix) { return (beginning, index + 1) }
            // Only a key at the beginning of a line belongs to the whole file.
            guard let colon = line.firstIndex(of: ":"), line.first?.isWhitespace == false else { continue }
            let key = line[..<colon].filter { $0 != "\"" && $0 != "'" }
            if Self.always.contains(key) { return (key, index + 1) }
        }
        return nil
    }
}
