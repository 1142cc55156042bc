// SPDX-License-Identifier: Apache-2.0

/// What the card sheet prints in every study; what it prints of a kind of question
/// stands with the kind.
enum CardPhrases {
    static let title = Phrase("{0}: cards", de: "{0}: Karten", es: "{0}: tarjetas")
    static let contact = Phrase("Questions? {0}", de: "Fragen? {0}", es: "¿Preguntas? {0}")
    static let howTo = Phrase("How to use it", de: "So wird es bedient", es: "Cómo se usa")

    /// The five steps, in order.
    static let prompt = Phrase(
        "The device signals: a prompt is waiting. {0} to start, {1} for later. If it signals a card number at once, just press yes or no.",
        de:
            "Das Gerät meldet sich: Eine Erinnerung wartet. {0}: jetzt antworten, {1}: aufschieben. Nennt es gleich eine Kartennummer, genügt ein Druck für Ja oder Nein.",
        es:
            "El dispositivo avisa: hay algo que responder. {0}: responder ahora, {1}: aplazar. Si indica enseguida un número de tarjeta, basta una pulsación para sí o no."
    )
    static let find = Phrase(
        "It signals a card number: short, long, then a long for each ten and a short for each one. Find the card below.",
        de:
            "Es nennt eine Kartennummer: kurz, lang, dann lang für jeden Zehner und kurz für jeden Einer. Die Karte steht unten.",
        es:
            "Indica un número de tarjeta: corto, largo, después un largo por cada decena y un corto por cada unidad. Busca la tarjeta más abajo."
    )
    static let answer = Phrase(
        "Answer with the buttons. The device signals the number of the option you are on.",
        de: "Mit den Tasten antworten. Das Gerät nennt die Nummer der Antwort, die gerade gewählt ist.",
        es: "Responde con los botones. El dispositivo indica el número de la opción en la que estás.")
    static let undo = Phrase(
        "A wrong press does no harm: {0} to undo.",
        de: "Ein falscher Druck schadet nicht. Zurücknehmen, auch mehrmals: {0}.",
        es: "Una pulsación equivocada no pierde nada. Deshacerla, las veces que haga falta: {0}.")
    static let submit = Phrase(
        "At the end {0} to submit; a single question is said back and submitted by itself after {1} seconds. The rising tone means: safely stored.",
        de:
            "Am Ende absenden: {0}; eine einzelne Antwort wird wiederholt und nach {1} Sekunden von selbst abgesendet. Der ansteigende Ton bedeutet: sicher gespeichert.",
        es:
            "Enviar al final: {0}; una sola respuesta se repite y se envía por sí misma a los {1} segundos. El tono ascendente significa: guardado."
    )
    static let holding = Phrase(
        "While a button is held, the light blinks 2, 3, 4 times: let go at the one you want. When idle, any short press opens the list of what you can do now.",
        de:
            "Wird eine Taste gehalten, blinkt das Licht zweimal, dann dreimal und so weiter; beim Gewünschten loslassen. Im Ruhezustand öffnet jeder kurze Druck die Liste dessen, was jetzt möglich ist.",
        es:
            "Mientras se mantiene un botón, la luz parpadea dos veces, luego tres, y así sucesivamente; suéltalo en lo que quieras. En reposo, cualquier pulsación corta abre la lista de lo que se puede hacer ahora."
    )

    static let slow = Phrase(
        "Set for slow hands: there is time to press, and a button that is pressed twice at once counts once.",
        de:
            "Für langsame Hände eingestellt: zum Drücken ist Zeit, und eine Taste, die gleich zweimal gedrückt wird, zählt einmal.",
        es: "Ajustado para manos lentas: hay tiempo para pulsar, y un botón pulsado dos veces seguidas cuenta una vez.")

    static let next = Phrase("next, more, no", de: "weiter, mehr, Nein", es: "siguiente, más, no")
    static let nextYes = Phrase("next, more, yes", de: "weiter, mehr, Ja", es: "siguiente, más, sí")
    static let previous = Phrase("previous", de: "zurück", es: "anterior")
    static let previousNo = Phrase(
        "previous, less, no", de: "zurück, weniger, Nein", es: "anterior, menos, no")
    static let choose = Phrase("choose, continue, OK", de: "auswählen, weiter, OK", es: "elegir, continuar, aceptar")
    static let chooseYes = Phrase(
        "choose, continue, OK, yes", de: "auswählen, weiter, OK, Ja", es: "elegir, continuar, aceptar, sí")
    static let takeBack = Phrase(
        "undo; with a prompt: not now", de: "zurücknehmen; bei einer Erinnerung: nicht jetzt",
        es: "deshacer; con un aviso: ahora no")
    static let menu = Phrase(
        "menu: prompts off and on, leave", de: "Menü: Erinnerungen aus und an, aussteigen",
        es: "menú: avisos sí o no, abandonar")
    static let nothing = Phrase(
        "nothing: hold on if you held it by mistake",
        de: "nichts geschieht: weiter halten, wenn sie versehentlich gehalten wird",
        es: "no pasa nada: sigue pulsando si fue sin querer")

    static let refused = Phrase(
        "Cannot be asked on this device.", de: "Kann auf diesem Gerät nicht gefragt werden.",
        es: "No se puede preguntar en este dispositivo.")
    static let ways = Phrase("How to answer", de: "So wird geantwortet", es: "Cómo responder")
    static let signals = Phrase("Signals", de: "Signale", es: "Señales")
    static let required = Phrase(
        "A black mark: it must be answered", de: "Schwarzes Zeichen: Eine Antwort ist nötig",
        es: "Marca negra: hay que responder")
    static let numbers = Phrase(
        "Numbers: an extra long for each hundred, a long for each ten, a short for each one; zero is blip, long, blip.",
        de:
            "Zahlen: extra lang für jeden Hunderter, lang für jeden Zehner, kurz für jeden Einer; null ist Tick, lang, Tick.",
        es:
            "Números: un extralargo por cada centena, un largo por cada decena, un corto por cada unidad; el cero es tic, largo, tic."
    )
    static let longNumbers = Phrase(
        " Larger numbers and decimals come digit by digit; the point is blip, long, long; minus is blip, extra long.",
        de:
            " Größere Zahlen und Kommazahlen kommen Ziffer für Ziffer; das Komma ist Tick, lang, lang; minus ist Tick, extra lang.",
        es:
            " Los números mayores y los decimales llegan cifra a cifra; la coma es tic, largo, largo; menos es tic, extralargo."
    )
    static let dot = Phrase(
        "The rhythm is the same in light, sound and vibration; the dot is the colour of a light that has colours.",
        de: "Der Rhythmus ist bei Licht, Ton und Vibration gleich; der Punkt ist die Farbe eines Lichts mit Farben.",
        es: "El ritmo es el mismo en luz, sonido y vibración; el punto es el color de una luz con colores.")
}
