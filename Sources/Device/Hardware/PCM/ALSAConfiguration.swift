// SPDX-License-Identifier: Apache-2.0

/// Text in ALSA's configuration language. Given to an open call it is used alone: the machine's own asoundrc is
/// not read. `studyd-tools` simulates a board's sound devices by it.
package enum ALSAConfiguration {
    /// A sound card made of two files of raw interleaved samples: capture reads `infile` round
    /// and round, playback appends to `outfile`, which is emptied when a stream is
    /// opened. It takes any rate, channel count and format, cannot be polled and delivers as
    /// fast as it is asked: open it with `PCMParameters.Pacing.byClock`.
    ///
    /// A capture device needs an `infile`; without an `outfile` what is played goes to `/dev/null`.
    package static func filePlugin(name: String, infile: String? = nil, outfile: String? = nil) -> String {
        let input = infile.map { "\n    infile \(quoted($0))" } ?? ""
        return """
            pcm.null { type null }
            pcm.\(name) {
                type file
                slave.pcm "null"
                file \(quoted(outfile ?? "/dev/null"))\(input)
                format "raw"
            }

            """
    }

    /// A string in that language; quotes, backslashes and line ends cannot break out of it.
    private static func quoted(_ text: String) -> String {
        let escaped = text.flatMap { character -> [Character] in
            switch character {
            case "\"", "\\": ["\\", character]
            case "\n": ["\\", "n"]
            default: [character]
            }
        }
        return "\"\(String(escaped))\""
    }
}
