// SPDX-License-Identifier: Apache-2.0
import Lab

@main enum EntryPoint {
    static func main() { ReceiverProgram.main() }
}
