module runfair

go 1.23
